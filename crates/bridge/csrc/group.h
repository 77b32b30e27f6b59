// The calls that a thread makes while a Group lives run as one program. Groups may nest: the
// outermost one counts. A group that joins may share its program with such groups right before
// and after it.
#pragma once

#include "raise.h"

namespace torch_pjrt {

class Group {
 public:
  enum class Joins { No, Yes };

  explicit Group(int device, Joins joins = Joins::No);
  ~Group(); // after an exception: ends the group and drops its error
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  void end();

 private:
  static thread_local int depth;
  int device_;
  bool joins_;
  bool open_ = true;
};

} // namespace torch_pjrt
