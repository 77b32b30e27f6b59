// The calls that a thread makes while a Group lives run as one program. Groups may nest: the
// outermost one counts.
#pragma once

#include "raise.h"

namespace torch_pjrt {

class Group {
 public:
  explicit Group(int device);
  ~Group(); // after an exception: ends the group and drops its error
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void end();

 private:
  static thread_local int depth;
  int device_;
  bool open_ = true;
};

} // namespace torch_pjrt
