// Registers every form of every row with the dispatcher: functional, in-place and out=, derived from the
// schemas' alias annotations.
#pragma once

namespace torch_pjrt {

void register_table();

// Registers the _foreach_ overloads whose element op runs on the device: all elements as one program.
void register_foreach();

} // namespace torch_pjrt
