// What happens to an operator that has no row.
#pragma once

namespace torch_pjrt {

// TORCH_PJRT_FALLBACK: warn (default, once an overload), error, silent.
enum class FallbackMode { Warn, Error, Silent };

FallbackMode fallback_mode();

} // namespace torch_pjrt
