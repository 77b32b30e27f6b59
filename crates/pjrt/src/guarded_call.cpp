// Plugins are C++ and let exceptions escape through the C API (XLA's CPU plugin when it serializes a program with a
// oneDNN convolution). Rust cannot catch those; this call can.
#include <cstddef>
#include <cstring>
#include <exception>

extern "C" void* pjrt_guarded_call(void* (*entry)(void*), void* arguments, char* message, std::size_t capacity) {
  const char* what = "a C++ exception of unknown type";
  try {
    return entry(arguments);
  } catch (const std::exception& exception) {
    std::strncpy(message, exception.what(), capacity - 1);
    message[capacity - 1] = 0;
    return message;
  } catch (...) {
    std::strncpy(message, what, capacity - 1);
    message[capacity - 1] = 0;
    return message;
  }
}
