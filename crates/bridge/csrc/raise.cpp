// The one map from error kinds to c10 exceptions.
#include "raise.h"

#include <c10/util/Exception.h>

#include <string>

namespace torch_pjrt {

void raise_last_error() {
  const char* text = nullptr;
  size_t length = 0;
  const TpErrorKind kind = tp_error_take(&text, &length);
  const std::string message(text == nullptr ? "" : text, text == nullptr ? 0 : length);
  const c10::SourceLocation here{__func__, __FILE__, static_cast<uint32_t>(__LINE__)};
  switch (kind) {
    case TP_ERROR_NOT_IMPLEMENTED:
      throw c10::NotImplementedError(here, message);
    case TP_ERROR_OUT_OF_MEMORY:
      throw c10::OutOfMemoryError(here, message);
    case TP_ERROR_VALUE:
      throw c10::ValueError(here, message);
    case TP_ERROR_INDEX:
      throw c10::IndexError(here, message);
    case TP_ERROR_TYPE:
      throw c10::TypeError(here, message);
    case TP_ERROR_RUNTIME:
      break;
  }
  throw c10::Error(here, message);
}

} // namespace torch_pjrt
