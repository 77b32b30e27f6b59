// Begin and end of a group, kept in balance on every path.
#include "group.h"

namespace torch_pjrt {

thread_local int Group::depth = 0;

Group::Group(int device, Joins joins) : device_(device), joins_(joins == Joins::Yes) {
  if (depth == 0) {
    check(tp_group_begin(device_, joins_));
  }
  ++depth;
}

void Group::end() {
  open_ = false;
  if (--depth == 0) {
    check(tp_group_end(device_, joins_));
  }
}

Group::~Group() {
  if (open_ && --depth == 0 && tp_group_end(device_, joins_) != TP_OK) {
    const char* message = nullptr;
    size_t length = 0;
    tp_error_take(&message, &length);
  }
}

} // namespace torch_pjrt
