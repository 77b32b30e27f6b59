// abs_f32
module @abs_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.abs"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// neg_f32
module @neg_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.negate"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// exp_f32
module @exp_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.exponential"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// exponential_minus_one_f32
module @exponential_minus_one_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.exponential_minus_one"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// log_f32
module @log_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.log"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// log_plus_one_f32
module @log_plus_one_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.log_plus_one"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// logistic_f32
module @logistic_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.logistic"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// tanh_f32
module @tanh_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.tanh"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// sqrt_f32
module @sqrt_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.sqrt"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// rsqrt_f32
module @rsqrt_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.rsqrt"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// cbrt_f32
module @cbrt_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.cbrt"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// sine_f32
module @sine_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.sine"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// cosine_f32
module @cosine_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.cosine"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// tan_f32
module @tan_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.tan"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// ceil_f32
module @ceil_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.ceil"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// floor_f32
module @floor_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.floor"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// round_nearest_even_f32
module @round_nearest_even_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.round_nearest_even"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// round_nearest_afz_f32
module @round_nearest_afz_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.round_nearest_afz"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// sign_f32
module @sign_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.sign"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// is_finite_f32
module @is_finite_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.is_finite"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// real_f32
module @real_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.real"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// imag_f32
module @imag_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.imag"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// erf_f32
module @erf_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.erf"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// erf_inv_f32
module @erf_inv_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.erf_inv"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// erfc_f32
module @erfc_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.erfc"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// lgamma_f32
module @lgamma_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.lgamma"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// digamma_f32
module @digamma_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.digamma"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// acos_f32
module @acos_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.acos"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// asin_f32
module @asin_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.asin"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// atan_f32
module @atan_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.atan"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// sinh_f32
module @sinh_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.sinh"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// cosh_f32
module @cosh_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.cosh"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// acosh_f32
module @acosh_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.acosh"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// asinh_f32
module @asinh_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.asinh"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// atanh_f32
module @atanh_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.atanh"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// bessel_i1e_f32
module @bessel_i1e_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.bessel_i1e"(%arg0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// abs_c64
module @abs_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.abs"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// neg_c64
module @neg_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.negate"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// exp_c64
module @exp_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.exponential"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// exponential_minus_one_c64
module @exponential_minus_one_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.exponential_minus_one"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// log_c64
module @log_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.log"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// log_plus_one_c64
module @log_plus_one_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.log_plus_one"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// logistic_c64
module @logistic_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.logistic"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// tanh_c64
module @tanh_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.tanh"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// sqrt_c64
module @sqrt_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.sqrt"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// rsqrt_c64
module @rsqrt_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.rsqrt"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// sine_c64
module @sine_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.sine"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// cosine_c64
module @cosine_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.cosine"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// tan_c64
module @tan_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.tan"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// sign_c64
module @sign_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.sign"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// real_c64
module @real_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.real"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// imag_c64
module @imag_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.imag"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// acos_c64
module @acos_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "chlo.acos"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// asin_c64
module @asin_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "chlo.asin"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// atan_c64
module @atan_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "chlo.atan"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// sinh_c64
module @sinh_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "chlo.sinh"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// cosh_c64
module @cosh_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "chlo.cosh"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// acosh_c64
module @acosh_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "chlo.acosh"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// asinh_c64
module @asinh_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "chlo.asinh"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// atanh_c64
module @atanh_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "chlo.atanh"(%arg0) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// abs_i32
module @abs_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.abs"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// neg_i32
module @neg_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.negate"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// sign_i32
module @sign_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.sign"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// not_i32
module @not_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.not"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// popcnt_i32
module @popcnt_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.popcnt"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// count_leading_zeros_i32
module @count_leading_zeros_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.count_leading_zeros"(%arg0) : (tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// not_i1
module @not_i1 {
  func.func public @main(%arg0: tensor<2x3xi1>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.not"(%arg0) : (tensor<2x3xi1>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// abs_bf16
module @abs_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.abs"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// neg_bf16
module @neg_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.negate"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// exp_bf16
module @exp_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.exponential"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// exponential_minus_one_bf16
module @exponential_minus_one_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.exponential_minus_one"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// log_bf16
module @log_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.log"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// log_plus_one_bf16
module @log_plus_one_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.log_plus_one"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// logistic_bf16
module @logistic_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.logistic"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// tanh_bf16
module @tanh_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.tanh"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// sqrt_bf16
module @sqrt_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.sqrt"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// rsqrt_bf16
module @rsqrt_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.rsqrt"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// cbrt_bf16
module @cbrt_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.cbrt"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// sine_bf16
module @sine_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.sine"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// cosine_bf16
module @cosine_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.cosine"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// tan_bf16
module @tan_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.tan"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// ceil_bf16
module @ceil_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.ceil"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// floor_bf16
module @floor_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.floor"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// round_nearest_even_bf16
module @round_nearest_even_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.round_nearest_even"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// round_nearest_afz_bf16
module @round_nearest_afz_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.round_nearest_afz"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// sign_bf16
module @sign_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.sign"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// is_finite_bf16
module @is_finite_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.is_finite"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// real_bf16
module @real_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.real"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// imag_bf16
module @imag_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "stablehlo.imag"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// erf_bf16
module @erf_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.erf"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// erf_inv_bf16
module @erf_inv_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.erf_inv"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// erfc_bf16
module @erfc_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.erfc"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// lgamma_bf16
module @lgamma_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.lgamma"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// digamma_bf16
module @digamma_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.digamma"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// acos_bf16
module @acos_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.acos"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// asin_bf16
module @asin_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.asin"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// atan_bf16
module @atan_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.atan"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// sinh_bf16
module @sinh_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.sinh"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// cosh_bf16
module @cosh_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.cosh"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// acosh_bf16
module @acosh_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.acosh"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// asinh_bf16
module @asinh_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.asinh"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// atanh_bf16
module @atanh_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.atanh"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// bessel_i1e_bf16
module @bessel_i1e_bf16 {
  func.func public @main(%arg0: tensor<2x3xbf16>) -> (tensor<2x3xbf16>) {
    %0 = "chlo.bessel_i1e"(%arg0) : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
}

// add_f32
module @add_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// subtract_f32
module @subtract_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.subtract"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// multiply_f32
module @multiply_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// divide_f32
module @divide_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.divide"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// remainder_f32
module @remainder_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.remainder"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// maximum_f32
module @maximum_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.maximum"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// minimum_f32
module @minimum_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.minimum"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// power_f32
module @power_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.power"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// atan2_f32
module @atan2_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.atan2"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// zeta_f32
module @zeta_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.zeta"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// polygamma_f32
module @polygamma_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.polygamma"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// next_after_f32
module @next_after_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "chlo.next_after"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// complex_f32
module @complex_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.complex"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// eq_f32
module @eq_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// ne_f32
module @ne_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// lt_f32
module @lt_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// le_f32
module @le_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction LE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// gt_f32
module @gt_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// ge_f32
module @ge_f32 {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// add_c64
module @add_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>, %arg1: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// subtract_c64
module @subtract_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>, %arg1: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.subtract"(%arg0, %arg1) : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// multiply_c64
module @multiply_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>, %arg1: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// divide_c64
module @divide_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>, %arg1: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.divide"(%arg0, %arg1) : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// power_c64
module @power_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>, %arg1: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xcomplex<f32>>) {
    %0 = "stablehlo.power"(%arg0, %arg1) : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    return %0 : tensor<2x3xcomplex<f32>>
  }
}

// eq_c64
module @eq_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>, %arg1: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// ne_c64
module @ne_c64 {
  func.func public @main(%arg0: tensor<2x3xcomplex<f32>>, %arg1: tensor<2x3xcomplex<f32>>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// add_i32
module @add_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// subtract_i32
module @subtract_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.subtract"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// multiply_i32
module @multiply_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// divide_i32
module @divide_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.divide"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// remainder_i32
module @remainder_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.remainder"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// maximum_i32
module @maximum_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.maximum"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// minimum_i32
module @minimum_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.minimum"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// power_i32
module @power_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.power"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// and_i32
module @and_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.and"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// or_i32
module @or_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.or"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// xor_i32
module @xor_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.xor"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// shift_left_i32
module @shift_left_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.shift_left"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// shift_right_arithmetic_i32
module @shift_right_arithmetic_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.shift_right_arithmetic"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// shift_right_logical_i32
module @shift_right_logical_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
    %0 = "stablehlo.shift_right_logical"(%arg0, %arg1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
}

// lt_i32
module @lt_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// eq_i32
module @eq_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// add_ui32
module @add_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// subtract_ui32
module @subtract_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.subtract"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// multiply_ui32
module @multiply_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// divide_ui32
module @divide_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.divide"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// remainder_ui32
module @remainder_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.remainder"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// maximum_ui32
module @maximum_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.maximum"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// minimum_ui32
module @minimum_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.minimum"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// power_ui32
module @power_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.power"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// and_ui32
module @and_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.and"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// or_ui32
module @or_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.or"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// xor_ui32
module @xor_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.xor"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// shift_left_ui32
module @shift_left_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.shift_left"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// shift_right_arithmetic_ui32
module @shift_right_arithmetic_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.shift_right_arithmetic"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// shift_right_logical_ui32
module @shift_right_logical_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xui32>) {
    %0 = "stablehlo.shift_right_logical"(%arg0, %arg1) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    return %0 : tensor<2x3xui32>
  }
}

// lt_ui32
module @lt_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// eq_ui32
module @eq_ui32 {
  func.func public @main(%arg0: tensor<2x3xui32>, %arg1: tensor<2x3xui32>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// add_i1
module @add_i1 {
  func.func public @main(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xi1>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// multiply_i1
module @multiply_i1 {
  func.func public @main(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xi1>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// maximum_i1
module @maximum_i1 {
  func.func public @main(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xi1>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.maximum"(%arg0, %arg1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// minimum_i1
module @minimum_i1 {
  func.func public @main(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xi1>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.minimum"(%arg0, %arg1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// and_i1
module @and_i1 {
  func.func public @main(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xi1>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.and"(%arg0, %arg1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// or_i1
module @or_i1 {
  func.func public @main(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xi1>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.or"(%arg0, %arg1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// xor_i1
module @xor_i1 {
  func.func public @main(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xi1>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.xor"(%arg0, %arg1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// lt_i1
module @lt_i1 {
  func.func public @main(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xi1>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// eq_i1
module @eq_i1 {
  func.func public @main(%arg0: tensor<2x3xi1>, %arg1: tensor<2x3xi1>) -> (tensor<2x3xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
}

// convert_from_i1
module @convert_from_i1 {
  func.func public @main(%arg0: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xi8>
    %1 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xi32>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xi64>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xui8>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xui32>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xui64>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xf16>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xbf16>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xf32>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xf64>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xcomplex<f32>>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xcomplex<f64>>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xf8E4M3FN>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xi1>) -> tensor<4xf8E5M2>
    return %arg0, %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_i1
module @convert_to_i1 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xi1>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    return %1 : tensor<4xi1>
  }
}

// convert_from_i4
module @convert_from_i4 {
  func.func public @main(%arg0: tensor<4xi4>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<4xi4>} : () -> tensor<4xi4>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<4xi4>, tensor<4xi4>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xf8E4M3FN>
    %15 = "stablehlo.convert"(%arg0) : (tensor<4xi4>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_i4
module @convert_to_i4 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xi4>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xi4>
    return %0 : tensor<4xi4>
  }
}

// convert_from_i8
module @convert_from_i8 {
  func.func public @main(%arg0: tensor<4xi8>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<4xi8>} : () -> tensor<4xi8>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xi32>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xi64>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xui8>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xui32>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xui64>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xf16>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xbf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xf32>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xf64>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xcomplex<f32>>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xcomplex<f64>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xf8E4M3FN>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xi8>) -> tensor<4xf8E5M2>
    return %1, %arg0, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_i8
module @convert_to_i8 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xi8>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xi8>
    return %0 : tensor<4xi8>
  }
}

// convert_from_i16
module @convert_from_i16 {
  func.func public @main(%arg0: tensor<4xi16>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<4xi16>} : () -> tensor<4xi16>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<4xi16>, tensor<4xi16>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xf8E4M3FN>
    %15 = "stablehlo.convert"(%arg0) : (tensor<4xi16>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_i16
module @convert_to_i16 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xi16>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xi16>
    return %0 : tensor<4xi16>
  }
}

// convert_from_i32
module @convert_from_i32 {
  func.func public @main(%arg0: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<4xi32>} : () -> tensor<4xi32>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xi64>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xui8>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xui32>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xui64>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xf16>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xbf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xf32>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xf64>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xcomplex<f32>>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xcomplex<f64>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xf8E4M3FN>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xi32>) -> tensor<4xf8E5M2>
    return %1, %2, %arg0, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_i32
module @convert_to_i32 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xi32>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}

// convert_from_i64
module @convert_from_i64 {
  func.func public @main(%arg0: tensor<4xi64>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<4xi64>} : () -> tensor<4xi64>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xui8>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xui32>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xui64>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xf16>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xbf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xf32>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xf64>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xcomplex<f32>>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xcomplex<f64>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xf8E4M3FN>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xi64>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %arg0, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_i64
module @convert_to_i64 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xi64>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xi64>
    return %0 : tensor<4xi64>
  }
}

// convert_from_ui4
module @convert_from_ui4 {
  func.func public @main(%arg0: tensor<4xui4>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<4xui4>} : () -> tensor<4xui4>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<4xui4>, tensor<4xui4>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xf8E4M3FN>
    %15 = "stablehlo.convert"(%arg0) : (tensor<4xui4>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_ui4
module @convert_to_ui4 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xui4>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xui4>
    return %0 : tensor<4xui4>
  }
}

// convert_from_ui8
module @convert_from_ui8 {
  func.func public @main(%arg0: tensor<4xui8>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<4xui8>} : () -> tensor<4xui8>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xui32>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xui64>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xf16>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xbf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xf32>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xf64>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xcomplex<f32>>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xcomplex<f64>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xf8E4M3FN>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xui8>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %arg0, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_ui8
module @convert_to_ui8 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xui8>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xui8>
    return %0 : tensor<4xui8>
  }
}

// convert_from_ui16
module @convert_from_ui16 {
  func.func public @main(%arg0: tensor<4xui16>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<4xui16>} : () -> tensor<4xui16>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<4xui16>, tensor<4xui16>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xf8E4M3FN>
    %15 = "stablehlo.convert"(%arg0) : (tensor<4xui16>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_ui16
module @convert_to_ui16 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xui16>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xui16>
    return %0 : tensor<4xui16>
  }
}

// convert_from_ui32
module @convert_from_ui32 {
  func.func public @main(%arg0: tensor<4xui32>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<4xui32>} : () -> tensor<4xui32>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xui64>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xf16>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xbf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xf32>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xf64>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xcomplex<f32>>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xcomplex<f64>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xf8E4M3FN>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xui32>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %arg0, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_ui32
module @convert_to_ui32 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xui32>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xui32>
    return %0 : tensor<4xui32>
  }
}

// convert_from_ui64
module @convert_from_ui64 {
  func.func public @main(%arg0: tensor<4xui64>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<4xui64>} : () -> tensor<4xui64>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type UNSIGNED>} : (tensor<4xui64>, tensor<4xui64>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xf16>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xbf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xf32>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xf64>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xcomplex<f32>>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xcomplex<f64>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xf8E4M3FN>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xui64>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %arg0, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_ui64
module @convert_to_ui64 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xui64>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xui64>
    return %0 : tensor<4xui64>
  }
}

// convert_from_f16
module @convert_from_f16 {
  func.func public @main(%arg0: tensor<4xf16>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf16>} : () -> tensor<4xf16>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xbf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xf32>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xf64>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xcomplex<f32>>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xcomplex<f64>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xf8E4M3FN>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf16>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %arg0, %8, %9, %10, %11, %12, %13, %14 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f16
module @convert_to_f16 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf16>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf16>
    return %0 : tensor<4xf16>
  }
}

// convert_from_bf16
module @convert_from_bf16 {
  func.func public @main(%arg0: tensor<4xbf16>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xbf16>} : () -> tensor<4xbf16>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xf32>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xf64>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xcomplex<f32>>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xcomplex<f64>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xf8E4M3FN>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xbf16>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %arg0, %9, %10, %11, %12, %13, %14 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_bf16
module @convert_to_bf16 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xbf16>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xbf16>
    return %0 : tensor<4xbf16>
  }
}

// convert_from_f32
module @convert_from_f32 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf32>} : () -> tensor<4xf32>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf64>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xcomplex<f64>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %arg0, %10, %11, %12, %13, %14 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f32
module @convert_to_f32 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>) {
    return %arg0 : tensor<4xf32>
  }
}

// convert_from_f64
module @convert_from_f64 {
  func.func public @main(%arg0: tensor<4xf64>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf64>} : () -> tensor<4xf64>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xcomplex<f32>>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xcomplex<f64>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xf8E4M3FN>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf64>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %arg0, %11, %12, %13, %14 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f64
module @convert_to_f64 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf64>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf64>
    return %0 : tensor<4xf64>
  }
}

// convert_from_c64
module @convert_from_c64 {
  func.func public @main(%arg0: tensor<4xcomplex<f32>>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<(0.0, 0.0)> : tensor<4xcomplex<f32>>} : () -> tensor<4xcomplex<f32>>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
    %2 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %3 = "stablehlo.convert"(%2) : (tensor<4xf32>) -> tensor<4xi8>
    %4 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %5 = "stablehlo.convert"(%4) : (tensor<4xf32>) -> tensor<4xi32>
    %6 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %7 = "stablehlo.convert"(%6) : (tensor<4xf32>) -> tensor<4xi64>
    %8 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %9 = "stablehlo.convert"(%8) : (tensor<4xf32>) -> tensor<4xui8>
    %10 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%10) : (tensor<4xf32>) -> tensor<4xui32>
    %12 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %13 = "stablehlo.convert"(%12) : (tensor<4xf32>) -> tensor<4xui64>
    %14 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %15 = "stablehlo.convert"(%14) : (tensor<4xf32>) -> tensor<4xf16>
    %16 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %17 = "stablehlo.convert"(%16) : (tensor<4xf32>) -> tensor<4xbf16>
    %18 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %19 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %20 = "stablehlo.convert"(%19) : (tensor<4xf32>) -> tensor<4xf64>
    %21 = "stablehlo.convert"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f64>>
    %22 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %23 = "stablehlo.convert"(%22) : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
    %24 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %25 = "stablehlo.convert"(%24) : (tensor<4xf32>) -> tensor<4xf8E5M2>
    return %1, %3, %5, %7, %9, %11, %13, %15, %17, %18, %20, %arg0, %21, %23, %25 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_c64
module @convert_to_c64 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xcomplex<f32>>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
    return %0 : tensor<4xcomplex<f32>>
  }
}

// convert_from_c128
module @convert_from_c128 {
  func.func public @main(%arg0: tensor<4xcomplex<f64>>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<(0.0, 0.0)> : tensor<4xcomplex<f64>>} : () -> tensor<4xcomplex<f64>>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xcomplex<f64>>, tensor<4xcomplex<f64>>) -> tensor<4xi1>
    %2 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %3 = "stablehlo.convert"(%2) : (tensor<4xf64>) -> tensor<4xi8>
    %4 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %5 = "stablehlo.convert"(%4) : (tensor<4xf64>) -> tensor<4xi32>
    %6 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %7 = "stablehlo.convert"(%6) : (tensor<4xf64>) -> tensor<4xi64>
    %8 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %9 = "stablehlo.convert"(%8) : (tensor<4xf64>) -> tensor<4xui8>
    %10 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %11 = "stablehlo.convert"(%10) : (tensor<4xf64>) -> tensor<4xui32>
    %12 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %13 = "stablehlo.convert"(%12) : (tensor<4xf64>) -> tensor<4xui64>
    %14 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %15 = "stablehlo.convert"(%14) : (tensor<4xf64>) -> tensor<4xf16>
    %16 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %17 = "stablehlo.convert"(%16) : (tensor<4xf64>) -> tensor<4xbf16>
    %18 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %19 = "stablehlo.convert"(%18) : (tensor<4xf64>) -> tensor<4xf32>
    %20 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %21 = "stablehlo.convert"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f32>>
    %22 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %23 = "stablehlo.convert"(%22) : (tensor<4xf64>) -> tensor<4xf8E4M3FN>
    %24 = "stablehlo.real"(%arg0) : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %25 = "stablehlo.convert"(%24) : (tensor<4xf64>) -> tensor<4xf8E5M2>
    return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %20, %21, %arg0, %23, %25 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_c128
module @convert_to_c128 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xcomplex<f64>>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xcomplex<f64>>
    return %0 : tensor<4xcomplex<f64>>
  }
}

// convert_from_f8E4M3FN
module @convert_from_f8E4M3FN {
  func.func public @main(%arg0: tensor<4xf8E4M3FN>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf8E4M3FN>} : () -> tensor<4xf8E4M3FN>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FN>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %arg0, %14 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f8E4M3FN
module @convert_to_f8E4M3FN {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf8E4M3FN>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
    return %0 : tensor<4xf8E4M3FN>
  }
}

// convert_from_f8E5M2
module @convert_from_f8E5M2 {
  func.func public @main(%arg0: tensor<4xf8E5M2>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf8E5M2>} : () -> tensor<4xf8E5M2>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf8E5M2>, tensor<4xf8E5M2>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2>) -> tensor<4xf8E4M3FN>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %arg0 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f8E5M2
module @convert_to_f8E5M2 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf8E5M2>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf8E5M2>
    return %0 : tensor<4xf8E5M2>
  }
}

// convert_from_f8E4M3FNUZ
module @convert_from_f8E4M3FNUZ {
  func.func public @main(%arg0: tensor<4xf8E4M3FNUZ>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf8E4M3FNUZ>} : () -> tensor<4xf8E4M3FNUZ>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf8E4M3FNUZ>, tensor<4xf8E4M3FNUZ>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xf8E4M3FN>
    %15 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3FNUZ>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f8E4M3FNUZ
module @convert_to_f8E4M3FNUZ {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf8E4M3FNUZ>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf8E4M3FNUZ>
    return %0 : tensor<4xf8E4M3FNUZ>
  }
}

// convert_from_f8E5M2FNUZ
module @convert_from_f8E5M2FNUZ {
  func.func public @main(%arg0: tensor<4xf8E5M2FNUZ>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf8E5M2FNUZ>} : () -> tensor<4xf8E5M2FNUZ>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf8E5M2FNUZ>, tensor<4xf8E5M2FNUZ>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xf8E4M3FN>
    %15 = "stablehlo.convert"(%arg0) : (tensor<4xf8E5M2FNUZ>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f8E5M2FNUZ
module @convert_to_f8E5M2FNUZ {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf8E5M2FNUZ>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf8E5M2FNUZ>
    return %0 : tensor<4xf8E5M2FNUZ>
  }
}

// convert_from_f8E4M3
module @convert_from_f8E4M3 {
  func.func public @main(%arg0: tensor<4xf8E4M3>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf8E4M3>} : () -> tensor<4xf8E4M3>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf8E4M3>, tensor<4xf8E4M3>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xf8E4M3FN>
    %15 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f8E4M3
module @convert_to_f8E4M3 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf8E4M3>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf8E4M3>
    return %0 : tensor<4xf8E4M3>
  }
}

// convert_from_f8E3M4
module @convert_from_f8E3M4 {
  func.func public @main(%arg0: tensor<4xf8E3M4>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf8E3M4>} : () -> tensor<4xf8E3M4>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf8E3M4>, tensor<4xf8E3M4>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xf8E4M3FN>
    %15 = "stablehlo.convert"(%arg0) : (tensor<4xf8E3M4>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f8E3M4
module @convert_to_f8E3M4 {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf8E3M4>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf8E3M4>
    return %0 : tensor<4xf8E3M4>
  }
}

// convert_from_f8E8M0FNU
module @convert_from_f8E8M0FNU {
  func.func public @main(%arg0: tensor<4xf8E8M0FNU>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0x00> : tensor<4xf8E8M0FNU>} : () -> tensor<4xf8E8M0FNU>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf8E8M0FNU>, tensor<4xf8E8M0FNU>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xf8E4M3FN>
    %15 = "stablehlo.convert"(%arg0) : (tensor<4xf8E8M0FNU>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f8E8M0FNU
module @convert_to_f8E8M0FNU {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf8E8M0FNU>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
    return %0 : tensor<4xf8E8M0FNU>
  }
}

// convert_from_f8E4M3B11FNUZ
module @convert_from_f8E4M3B11FNUZ {
  func.func public @main(%arg0: tensor<4xf8E4M3B11FNUZ>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf8E4M3B11FNUZ>} : () -> tensor<4xf8E4M3B11FNUZ>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf8E4M3B11FNUZ>, tensor<4xf8E4M3B11FNUZ>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xf8E4M3FN>
    %15 = "stablehlo.convert"(%arg0) : (tensor<4xf8E4M3B11FNUZ>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f8E4M3B11FNUZ
module @convert_to_f8E4M3B11FNUZ {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf8E4M3B11FNUZ>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf8E4M3B11FNUZ>
    return %0 : tensor<4xf8E4M3B11FNUZ>
  }
}

// convert_from_f4E2M1FN
module @convert_from_f4E2M1FN {
  func.func public @main(%arg0: tensor<4xf4E2M1FN>) -> (tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<4xf4E2M1FN>} : () -> tensor<4xf4E2M1FN>
    %1 = "stablehlo.compare"(%arg0, %0) {comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<4xf4E2M1FN>, tensor<4xf4E2M1FN>) -> tensor<4xi1>
    %2 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xi8>
    %3 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xi32>
    %4 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xi64>
    %5 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xui8>
    %6 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xui32>
    %7 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xui64>
    %8 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xf16>
    %9 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xbf16>
    %10 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xf32>
    %11 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xf64>
    %12 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xcomplex<f32>>
    %13 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xcomplex<f64>>
    %14 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xf8E4M3FN>
    %15 = "stablehlo.convert"(%arg0) : (tensor<4xf4E2M1FN>) -> tensor<4xf8E5M2>
    return %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi64>, tensor<4xui8>, tensor<4xui32>, tensor<4xui64>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
  }
}

// convert_to_f4E2M1FN
module @convert_to_f4E2M1FN {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf4E2M1FN>) {
    %0 = "stablehlo.convert"(%arg0) : (tensor<4xf32>) -> tensor<4xf4E2M1FN>
    return %0 : tensor<4xf4E2M1FN>
  }
}

// constants_i1
module @constants_i1 {
  func.func public @main() -> (tensor<2xi1>, tensor<i1>, tensor<2x2xi1>, tensor<3xi1>, tensor<0x2xi1>, tensor<i1>, tensor<i1>) {
    %0 = "stablehlo.constant"() {value = dense<false> : tensor<2xi1>} : () -> tensor<2xi1>
    %1 = "stablehlo.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %2 = "stablehlo.constant"() {value = dense<[[false, true], [true, true]]> : tensor<2x2xi1>} : () -> tensor<2x2xi1>
    %3 = "stablehlo.constant"() {value = dense<[true, false, true]> : tensor<3xi1>} : () -> tensor<3xi1>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xi1>} : () -> tensor<0x2xi1>
    %5 = "stablehlo.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
    return %0, %1, %2, %3, %4, %5, %1 : tensor<2xi1>, tensor<i1>, tensor<2x2xi1>, tensor<3xi1>, tensor<0x2xi1>, tensor<i1>, tensor<i1>
  }
}

// constants_i4
module @constants_i4 {
  func.func public @main() -> (tensor<2xi4>, tensor<i4>, tensor<2x2xi4>, tensor<3xi4>, tensor<0x2xi4>, tensor<i4>, tensor<i4>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<2xi4>} : () -> tensor<2xi4>
    %1 = "stablehlo.constant"() {value = dense<1> : tensor<i4>} : () -> tensor<i4>
    %2 = "stablehlo.constant"() {value = dense<[[0, 1], [2, 3]]> : tensor<2x2xi4>} : () -> tensor<2x2xi4>
    %3 = "stablehlo.constant"() {value = dense<[1, 0, 1]> : tensor<3xi4>} : () -> tensor<3xi4>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xi4>} : () -> tensor<0x2xi4>
    %5 = "stablehlo.constant"() {value = dense<-8> : tensor<i4>} : () -> tensor<i4>
    %6 = "stablehlo.constant"() {value = dense<7> : tensor<i4>} : () -> tensor<i4>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<2xi4>, tensor<i4>, tensor<2x2xi4>, tensor<3xi4>, tensor<0x2xi4>, tensor<i4>, tensor<i4>
  }
}

// constants_i8
module @constants_i8 {
  func.func public @main() -> (tensor<2xi8>, tensor<i8>, tensor<2x2xi8>, tensor<3xi8>, tensor<0x2xi8>, tensor<i8>, tensor<i8>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<2xi8>} : () -> tensor<2xi8>
    %1 = "stablehlo.constant"() {value = dense<1> : tensor<i8>} : () -> tensor<i8>
    %2 = "stablehlo.constant"() {value = dense<[[0, 1], [2, 3]]> : tensor<2x2xi8>} : () -> tensor<2x2xi8>
    %3 = "stablehlo.constant"() {value = dense<[1, 0, 1]> : tensor<3xi8>} : () -> tensor<3xi8>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xi8>} : () -> tensor<0x2xi8>
    %5 = "stablehlo.constant"() {value = dense<-128> : tensor<i8>} : () -> tensor<i8>
    %6 = "stablehlo.constant"() {value = dense<127> : tensor<i8>} : () -> tensor<i8>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<2xi8>, tensor<i8>, tensor<2x2xi8>, tensor<3xi8>, tensor<0x2xi8>, tensor<i8>, tensor<i8>
  }
}

// constants_i16
module @constants_i16 {
  func.func public @main() -> (tensor<2xi16>, tensor<i16>, tensor<2x2xi16>, tensor<3xi16>, tensor<0x2xi16>, tensor<i16>, tensor<i16>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<2xi16>} : () -> tensor<2xi16>
    %1 = "stablehlo.constant"() {value = dense<1> : tensor<i16>} : () -> tensor<i16>
    %2 = "stablehlo.constant"() {value = dense<[[0, 1], [2, 3]]> : tensor<2x2xi16>} : () -> tensor<2x2xi16>
    %3 = "stablehlo.constant"() {value = dense<[1, 0, 1]> : tensor<3xi16>} : () -> tensor<3xi16>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xi16>} : () -> tensor<0x2xi16>
    %5 = "stablehlo.constant"() {value = dense<-32768> : tensor<i16>} : () -> tensor<i16>
    %6 = "stablehlo.constant"() {value = dense<32767> : tensor<i16>} : () -> tensor<i16>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<2xi16>, tensor<i16>, tensor<2x2xi16>, tensor<3xi16>, tensor<0x2xi16>, tensor<i16>, tensor<i16>
  }
}

// constants_i32
module @constants_i32 {
  func.func public @main() -> (tensor<2xi32>, tensor<i32>, tensor<2x2xi32>, tensor<3xi32>, tensor<0x2xi32>, tensor<i32>, tensor<i32>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<2xi32>} : () -> tensor<2xi32>
    %1 = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %2 = "stablehlo.constant"() {value = dense<[[0, 1], [2, 3]]> : tensor<2x2xi32>} : () -> tensor<2x2xi32>
    %3 = "stablehlo.constant"() {value = dense<[1, 0, 1]> : tensor<3xi32>} : () -> tensor<3xi32>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xi32>} : () -> tensor<0x2xi32>
    %5 = "stablehlo.constant"() {value = dense<-2147483648> : tensor<i32>} : () -> tensor<i32>
    %6 = "stablehlo.constant"() {value = dense<2147483647> : tensor<i32>} : () -> tensor<i32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<2xi32>, tensor<i32>, tensor<2x2xi32>, tensor<3xi32>, tensor<0x2xi32>, tensor<i32>, tensor<i32>
  }
}

// constants_i64
module @constants_i64 {
  func.func public @main() -> (tensor<2xi64>, tensor<i64>, tensor<2x2xi64>, tensor<3xi64>, tensor<0x2xi64>, tensor<i64>, tensor<i64>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<2xi64>} : () -> tensor<2xi64>
    %1 = "stablehlo.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
    %2 = "stablehlo.constant"() {value = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : () -> tensor<2x2xi64>
    %3 = "stablehlo.constant"() {value = dense<[1, 0, 1]> : tensor<3xi64>} : () -> tensor<3xi64>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xi64>} : () -> tensor<0x2xi64>
    %5 = "stablehlo.constant"() {value = dense<-9223372036854775808> : tensor<i64>} : () -> tensor<i64>
    %6 = "stablehlo.constant"() {value = dense<9223372036854775807> : tensor<i64>} : () -> tensor<i64>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<2xi64>, tensor<i64>, tensor<2x2xi64>, tensor<3xi64>, tensor<0x2xi64>, tensor<i64>, tensor<i64>
  }
}

// constants_ui4
module @constants_ui4 {
  func.func public @main() -> (tensor<2xui4>, tensor<ui4>, tensor<2x2xui4>, tensor<3xui4>, tensor<0x2xui4>, tensor<ui4>, tensor<ui4>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<2xui4>} : () -> tensor<2xui4>
    %1 = "stablehlo.constant"() {value = dense<1> : tensor<ui4>} : () -> tensor<ui4>
    %2 = "stablehlo.constant"() {value = dense<[[0, 1], [2, 3]]> : tensor<2x2xui4>} : () -> tensor<2x2xui4>
    %3 = "stablehlo.constant"() {value = dense<[1, 0, 1]> : tensor<3xui4>} : () -> tensor<3xui4>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xui4>} : () -> tensor<0x2xui4>
    %5 = "stablehlo.constant"() {value = dense<0> : tensor<ui4>} : () -> tensor<ui4>
    %6 = "stablehlo.constant"() {value = dense<15> : tensor<ui4>} : () -> tensor<ui4>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<2xui4>, tensor<ui4>, tensor<2x2xui4>, tensor<3xui4>, tensor<0x2xui4>, tensor<ui4>, tensor<ui4>
  }
}

// constants_ui8
module @constants_ui8 {
  func.func public @main() -> (tensor<2xui8>, tensor<ui8>, tensor<2x2xui8>, tensor<3xui8>, tensor<0x2xui8>, tensor<ui8>, tensor<ui8>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<2xui8>} : () -> tensor<2xui8>
    %1 = "stablehlo.constant"() {value = dense<1> : tensor<ui8>} : () -> tensor<ui8>
    %2 = "stablehlo.constant"() {value = dense<[[0, 1], [2, 3]]> : tensor<2x2xui8>} : () -> tensor<2x2xui8>
    %3 = "stablehlo.constant"() {value = dense<[1, 0, 1]> : tensor<3xui8>} : () -> tensor<3xui8>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xui8>} : () -> tensor<0x2xui8>
    %5 = "stablehlo.constant"() {value = dense<0> : tensor<ui8>} : () -> tensor<ui8>
    %6 = "stablehlo.constant"() {value = dense<255> : tensor<ui8>} : () -> tensor<ui8>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<2xui8>, tensor<ui8>, tensor<2x2xui8>, tensor<3xui8>, tensor<0x2xui8>, tensor<ui8>, tensor<ui8>
  }
}

// constants_ui16
module @constants_ui16 {
  func.func public @main() -> (tensor<2xui16>, tensor<ui16>, tensor<2x2xui16>, tensor<3xui16>, tensor<0x2xui16>, tensor<ui16>, tensor<ui16>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<2xui16>} : () -> tensor<2xui16>
    %1 = "stablehlo.constant"() {value = dense<1> : tensor<ui16>} : () -> tensor<ui16>
    %2 = "stablehlo.constant"() {value = dense<[[0, 1], [2, 3]]> : tensor<2x2xui16>} : () -> tensor<2x2xui16>
    %3 = "stablehlo.constant"() {value = dense<[1, 0, 1]> : tensor<3xui16>} : () -> tensor<3xui16>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xui16>} : () -> tensor<0x2xui16>
    %5 = "stablehlo.constant"() {value = dense<0> : tensor<ui16>} : () -> tensor<ui16>
    %6 = "stablehlo.constant"() {value = dense<65535> : tensor<ui16>} : () -> tensor<ui16>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<2xui16>, tensor<ui16>, tensor<2x2xui16>, tensor<3xui16>, tensor<0x2xui16>, tensor<ui16>, tensor<ui16>
  }
}

// constants_ui32
module @constants_ui32 {
  func.func public @main() -> (tensor<2xui32>, tensor<ui32>, tensor<2x2xui32>, tensor<3xui32>, tensor<0x2xui32>, tensor<ui32>, tensor<ui32>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<2xui32>} : () -> tensor<2xui32>
    %1 = "stablehlo.constant"() {value = dense<1> : tensor<ui32>} : () -> tensor<ui32>
    %2 = "stablehlo.constant"() {value = dense<[[0, 1], [2, 3]]> : tensor<2x2xui32>} : () -> tensor<2x2xui32>
    %3 = "stablehlo.constant"() {value = dense<[1, 0, 1]> : tensor<3xui32>} : () -> tensor<3xui32>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xui32>} : () -> tensor<0x2xui32>
    %5 = "stablehlo.constant"() {value = dense<0> : tensor<ui32>} : () -> tensor<ui32>
    %6 = "stablehlo.constant"() {value = dense<4294967295> : tensor<ui32>} : () -> tensor<ui32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<2xui32>, tensor<ui32>, tensor<2x2xui32>, tensor<3xui32>, tensor<0x2xui32>, tensor<ui32>, tensor<ui32>
  }
}

// constants_ui64
module @constants_ui64 {
  func.func public @main() -> (tensor<2xui64>, tensor<ui64>, tensor<2x2xui64>, tensor<3xui64>, tensor<0x2xui64>, tensor<ui64>, tensor<ui64>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<2xui64>} : () -> tensor<2xui64>
    %1 = "stablehlo.constant"() {value = dense<1> : tensor<ui64>} : () -> tensor<ui64>
    %2 = "stablehlo.constant"() {value = dense<[[0, 1], [2, 3]]> : tensor<2x2xui64>} : () -> tensor<2x2xui64>
    %3 = "stablehlo.constant"() {value = dense<[1, 0, 1]> : tensor<3xui64>} : () -> tensor<3xui64>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xui64>} : () -> tensor<0x2xui64>
    %5 = "stablehlo.constant"() {value = dense<0> : tensor<ui64>} : () -> tensor<ui64>
    %6 = "stablehlo.constant"() {value = dense<18446744073709551615> : tensor<ui64>} : () -> tensor<ui64>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<2xui64>, tensor<ui64>, tensor<2x2xui64>, tensor<3xui64>, tensor<0x2xui64>, tensor<ui64>, tensor<ui64>
  }
}

// constants_f16
module @constants_f16 {
  func.func public @main() -> (tensor<2xf16>, tensor<f16>, tensor<2x2xf16>, tensor<3xf16>, tensor<0x2xf16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xf16>} : () -> tensor<2xf16>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f16>} : () -> tensor<f16>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf16>} : () -> tensor<2x2xf16>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xf16>} : () -> tensor<3xf16>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf16>} : () -> tensor<0x2xf16>
    %5 = "stablehlo.constant"() {value = dense<0xFC00> : tensor<f16>} : () -> tensor<f16>
    %6 = "stablehlo.constant"() {value = dense<0x7C00> : tensor<f16>} : () -> tensor<f16>
    %7 = "stablehlo.constant"() {value = dense<-0.0> : tensor<f16>} : () -> tensor<f16>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<f16>} : () -> tensor<f16>
    %9 = "stablehlo.constant"() {value = dense<0.0999755859375> : tensor<f16>} : () -> tensor<f16>
    %10 = "stablehlo.constant"() {value = dense<0.0> : tensor<f16>} : () -> tensor<f16>
    %11 = "stablehlo.constant"() {value = dense<0x7E00> : tensor<f16>} : () -> tensor<f16>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %6, %5, %11 : tensor<2xf16>, tensor<f16>, tensor<2x2xf16>, tensor<3xf16>, tensor<0x2xf16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>
  }
}

// constants_bf16
module @constants_bf16 {
  func.func public @main() -> (tensor<2xbf16>, tensor<bf16>, tensor<2x2xbf16>, tensor<3xbf16>, tensor<0x2xbf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xbf16>} : () -> tensor<2xbf16>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<bf16>} : () -> tensor<bf16>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xbf16>} : () -> tensor<2x2xbf16>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xbf16>} : () -> tensor<3xbf16>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xbf16>} : () -> tensor<0x2xbf16>
    %5 = "stablehlo.constant"() {value = dense<0xFF80> : tensor<bf16>} : () -> tensor<bf16>
    %6 = "stablehlo.constant"() {value = dense<0x7F80> : tensor<bf16>} : () -> tensor<bf16>
    %7 = "stablehlo.constant"() {value = dense<-0.0> : tensor<bf16>} : () -> tensor<bf16>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<bf16>} : () -> tensor<bf16>
    %9 = "stablehlo.constant"() {value = dense<0.10009765625> : tensor<bf16>} : () -> tensor<bf16>
    %10 = "stablehlo.constant"() {value = dense<9.98402083170343e-31> : tensor<bf16>} : () -> tensor<bf16>
    %11 = "stablehlo.constant"() {value = dense<0x7FC0> : tensor<bf16>} : () -> tensor<bf16>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %6, %5, %11 : tensor<2xbf16>, tensor<bf16>, tensor<2x2xbf16>, tensor<3xbf16>, tensor<0x2xbf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>, tensor<bf16>
  }
}

// constants_f32
module @constants_f32 {
  func.func public @main() -> (tensor<2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<3xf32>, tensor<0x2xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xf32>} : () -> tensor<2xf32>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>} : () -> tensor<2x2xf32>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xf32>} : () -> tensor<3xf32>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf32>} : () -> tensor<0x2xf32>
    %5 = "stablehlo.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> tensor<f32>
    %6 = "stablehlo.constant"() {value = dense<0x7F800000> : tensor<f32>} : () -> tensor<f32>
    %7 = "stablehlo.constant"() {value = dense<-0.0> : tensor<f32>} : () -> tensor<f32>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<f32>} : () -> tensor<f32>
    %9 = "stablehlo.constant"() {value = dense<0.10000000149011612> : tensor<f32>} : () -> tensor<f32>
    %10 = "stablehlo.constant"() {value = dense<1.0000000031710769e-30> : tensor<f32>} : () -> tensor<f32>
    %11 = "stablehlo.constant"() {value = dense<0x7FC00000> : tensor<f32>} : () -> tensor<f32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %6, %5, %11 : tensor<2xf32>, tensor<f32>, tensor<2x2xf32>, tensor<3xf32>, tensor<0x2xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}

// constants_f64
module @constants_f64 {
  func.func public @main() -> (tensor<2xf64>, tensor<f64>, tensor<2x2xf64>, tensor<3xf64>, tensor<0x2xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xf64>} : () -> tensor<2xf64>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf64>} : () -> tensor<2x2xf64>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xf64>} : () -> tensor<3xf64>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf64>} : () -> tensor<0x2xf64>
    %5 = "stablehlo.constant"() {value = dense<0xFFF0000000000000> : tensor<f64>} : () -> tensor<f64>
    %6 = "stablehlo.constant"() {value = dense<0x7FF0000000000000> : tensor<f64>} : () -> tensor<f64>
    %7 = "stablehlo.constant"() {value = dense<-0.0> : tensor<f64>} : () -> tensor<f64>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<f64>} : () -> tensor<f64>
    %9 = "stablehlo.constant"() {value = dense<0.1> : tensor<f64>} : () -> tensor<f64>
    %10 = "stablehlo.constant"() {value = dense<1.0e-30> : tensor<f64>} : () -> tensor<f64>
    %11 = "stablehlo.constant"() {value = dense<0x7FF8000000000000> : tensor<f64>} : () -> tensor<f64>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %6, %5, %11 : tensor<2xf64>, tensor<f64>, tensor<2x2xf64>, tensor<3xf64>, tensor<0x2xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>
  }
}

// constants_c64
module @constants_c64 {
  func.func public @main() -> (tensor<2xcomplex<f32>>, tensor<complex<f32>>, tensor<2x2xcomplex<f32>>, tensor<3xcomplex<f32>>, tensor<0x2xcomplex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<2xcomplex<f32>>) {
    %0 = "stablehlo.constant"() {value = dense<(0.0, 0.0)> : tensor<2xcomplex<f32>>} : () -> tensor<2xcomplex<f32>>
    %1 = "stablehlo.constant"() {value = dense<(1.0, 0.0)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
    %2 = "stablehlo.constant"() {value = dense<[[(0.0, 0.0), (1.0, 0.0)], [(2.0, 0.0), (3.0, 0.0)]]> : tensor<2x2xcomplex<f32>>} : () -> tensor<2x2xcomplex<f32>>
    %3 = "stablehlo.constant"() {value = dense<[(1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]> : tensor<3xcomplex<f32>>} : () -> tensor<3xcomplex<f32>>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xcomplex<f32>>} : () -> tensor<0x2xcomplex<f32>>
    %5 = "stablehlo.constant"() {value = dense<(0xFF800000, 0.0)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
    %6 = "stablehlo.constant"() {value = dense<(0x7F800000, 0.0)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
    %7 = "stablehlo.constant"() {value = dense<(-0.0, 0.0)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
    %8 = "stablehlo.constant"() {value = dense<(-1.5, 0.0)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
    %9 = "stablehlo.constant"() {value = dense<(0.10000000149011612, 0.0)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
    %10 = "stablehlo.constant"() {value = dense<(1.0000000031710769e-30, 0.0)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
    %11 = "stablehlo.constant"() {value = dense<(0x7FC00000, 0.0)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
    %12 = "stablehlo.constant"() {value = dense<(1.0, 0x7F800000)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
    %13 = "stablehlo.constant"() {value = dense<[(1.0, 2.0), (3.5, -4.0)]> : tensor<2xcomplex<f32>>} : () -> tensor<2xcomplex<f32>>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %6, %5, %11, %12, %13 : tensor<2xcomplex<f32>>, tensor<complex<f32>>, tensor<2x2xcomplex<f32>>, tensor<3xcomplex<f32>>, tensor<0x2xcomplex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<complex<f32>>, tensor<2xcomplex<f32>>
  }
}

// constants_c128
module @constants_c128 {
  func.func public @main() -> (tensor<2xcomplex<f64>>, tensor<complex<f64>>, tensor<2x2xcomplex<f64>>, tensor<3xcomplex<f64>>, tensor<0x2xcomplex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<2xcomplex<f64>>) {
    %0 = "stablehlo.constant"() {value = dense<(0.0, 0.0)> : tensor<2xcomplex<f64>>} : () -> tensor<2xcomplex<f64>>
    %1 = "stablehlo.constant"() {value = dense<(1.0, 0.0)> : tensor<complex<f64>>} : () -> tensor<complex<f64>>
    %2 = "stablehlo.constant"() {value = dense<[[(0.0, 0.0), (1.0, 0.0)], [(2.0, 0.0), (3.0, 0.0)]]> : tensor<2x2xcomplex<f64>>} : () -> tensor<2x2xcomplex<f64>>
    %3 = "stablehlo.constant"() {value = dense<[(1.0, 0.0), (0.0, 0.0), (1.0, 0.0)]> : tensor<3xcomplex<f64>>} : () -> tensor<3xcomplex<f64>>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xcomplex<f64>>} : () -> tensor<0x2xcomplex<f64>>
    %5 = "stablehlo.constant"() {value = dense<(0xFFF0000000000000, 0.0)> : tensor<complex<f64>>} : () -> tensor<complex<f64>>
    %6 = "stablehlo.constant"() {value = dense<(0x7FF0000000000000, 0.0)> : tensor<complex<f64>>} : () -> tensor<complex<f64>>
    %7 = "stablehlo.constant"() {value = dense<(-0.0, 0.0)> : tensor<complex<f64>>} : () -> tensor<complex<f64>>
    %8 = "stablehlo.constant"() {value = dense<(-1.5, 0.0)> : tensor<complex<f64>>} : () -> tensor<complex<f64>>
    %9 = "stablehlo.constant"() {value = dense<(0.1, 0.0)> : tensor<complex<f64>>} : () -> tensor<complex<f64>>
    %10 = "stablehlo.constant"() {value = dense<(1.0e-30, 0.0)> : tensor<complex<f64>>} : () -> tensor<complex<f64>>
    %11 = "stablehlo.constant"() {value = dense<(0x7FF8000000000000, 0.0)> : tensor<complex<f64>>} : () -> tensor<complex<f64>>
    %12 = "stablehlo.constant"() {value = dense<(1.0, 0x7FF0000000000000)> : tensor<complex<f64>>} : () -> tensor<complex<f64>>
    %13 = "stablehlo.constant"() {value = dense<[(1.0, 2.0), (3.5, -4.0)]> : tensor<2xcomplex<f64>>} : () -> tensor<2xcomplex<f64>>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %6, %5, %11, %12, %13 : tensor<2xcomplex<f64>>, tensor<complex<f64>>, tensor<2x2xcomplex<f64>>, tensor<3xcomplex<f64>>, tensor<0x2xcomplex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<complex<f64>>, tensor<2xcomplex<f64>>
  }
}

// constants_f8E4M3FN
module @constants_f8E4M3FN {
  func.func public @main() -> (tensor<2xf8E4M3FN>, tensor<f8E4M3FN>, tensor<2x2xf8E4M3FN>, tensor<3xf8E4M3FN>, tensor<0x2xf8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xf8E4M3FN>} : () -> tensor<2xf8E4M3FN>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f8E4M3FN>} : () -> tensor<f8E4M3FN>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf8E4M3FN>} : () -> tensor<2x2xf8E4M3FN>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xf8E4M3FN>} : () -> tensor<3xf8E4M3FN>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf8E4M3FN>} : () -> tensor<0x2xf8E4M3FN>
    %5 = "stablehlo.constant"() {value = dense<-448.0> : tensor<f8E4M3FN>} : () -> tensor<f8E4M3FN>
    %6 = "stablehlo.constant"() {value = dense<448.0> : tensor<f8E4M3FN>} : () -> tensor<f8E4M3FN>
    %7 = "stablehlo.constant"() {value = dense<-0.0> : tensor<f8E4M3FN>} : () -> tensor<f8E4M3FN>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<f8E4M3FN>} : () -> tensor<f8E4M3FN>
    %9 = "stablehlo.constant"() {value = dense<0.1015625> : tensor<f8E4M3FN>} : () -> tensor<f8E4M3FN>
    %10 = "stablehlo.constant"() {value = dense<0.0> : tensor<f8E4M3FN>} : () -> tensor<f8E4M3FN>
    %11 = "stablehlo.constant"() {value = dense<0x7F> : tensor<f8E4M3FN>} : () -> tensor<f8E4M3FN>
    %12 = "stablehlo.constant"() {value = dense<0xFF> : tensor<f8E4M3FN>} : () -> tensor<f8E4M3FN>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %11 : tensor<2xf8E4M3FN>, tensor<f8E4M3FN>, tensor<2x2xf8E4M3FN>, tensor<3xf8E4M3FN>, tensor<0x2xf8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>, tensor<f8E4M3FN>
  }
}

// constants_f8E5M2
module @constants_f8E5M2 {
  func.func public @main() -> (tensor<2xf8E5M2>, tensor<f8E5M2>, tensor<2x2xf8E5M2>, tensor<3xf8E5M2>, tensor<0x2xf8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xf8E5M2>} : () -> tensor<2xf8E5M2>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f8E5M2>} : () -> tensor<f8E5M2>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf8E5M2>} : () -> tensor<2x2xf8E5M2>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xf8E5M2>} : () -> tensor<3xf8E5M2>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf8E5M2>} : () -> tensor<0x2xf8E5M2>
    %5 = "stablehlo.constant"() {value = dense<0xFC> : tensor<f8E5M2>} : () -> tensor<f8E5M2>
    %6 = "stablehlo.constant"() {value = dense<0x7C> : tensor<f8E5M2>} : () -> tensor<f8E5M2>
    %7 = "stablehlo.constant"() {value = dense<-0.0> : tensor<f8E5M2>} : () -> tensor<f8E5M2>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<f8E5M2>} : () -> tensor<f8E5M2>
    %9 = "stablehlo.constant"() {value = dense<0.09375> : tensor<f8E5M2>} : () -> tensor<f8E5M2>
    %10 = "stablehlo.constant"() {value = dense<0.0> : tensor<f8E5M2>} : () -> tensor<f8E5M2>
    %11 = "stablehlo.constant"() {value = dense<0x7E> : tensor<f8E5M2>} : () -> tensor<f8E5M2>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %6, %5, %11 : tensor<2xf8E5M2>, tensor<f8E5M2>, tensor<2x2xf8E5M2>, tensor<3xf8E5M2>, tensor<0x2xf8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>, tensor<f8E5M2>
  }
}

// constants_f8E4M3FNUZ
module @constants_f8E4M3FNUZ {
  func.func public @main() -> (tensor<2xf8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<2x2xf8E4M3FNUZ>, tensor<3xf8E4M3FNUZ>, tensor<0x2xf8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xf8E4M3FNUZ>} : () -> tensor<2xf8E4M3FNUZ>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f8E4M3FNUZ>} : () -> tensor<f8E4M3FNUZ>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf8E4M3FNUZ>} : () -> tensor<2x2xf8E4M3FNUZ>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xf8E4M3FNUZ>} : () -> tensor<3xf8E4M3FNUZ>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf8E4M3FNUZ>} : () -> tensor<0x2xf8E4M3FNUZ>
    %5 = "stablehlo.constant"() {value = dense<-240.0> : tensor<f8E4M3FNUZ>} : () -> tensor<f8E4M3FNUZ>
    %6 = "stablehlo.constant"() {value = dense<240.0> : tensor<f8E4M3FNUZ>} : () -> tensor<f8E4M3FNUZ>
    %7 = "stablehlo.constant"() {value = dense<0.0> : tensor<f8E4M3FNUZ>} : () -> tensor<f8E4M3FNUZ>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<f8E4M3FNUZ>} : () -> tensor<f8E4M3FNUZ>
    %9 = "stablehlo.constant"() {value = dense<0.1015625> : tensor<f8E4M3FNUZ>} : () -> tensor<f8E4M3FNUZ>
    %10 = "stablehlo.constant"() {value = dense<0x80> : tensor<f8E4M3FNUZ>} : () -> tensor<f8E4M3FNUZ>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %7, %10, %10, %10 : tensor<2xf8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<2x2xf8E4M3FNUZ>, tensor<3xf8E4M3FNUZ>, tensor<0x2xf8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>, tensor<f8E4M3FNUZ>
  }
}

// constants_f8E5M2FNUZ
module @constants_f8E5M2FNUZ {
  func.func public @main() -> (tensor<2xf8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<2x2xf8E5M2FNUZ>, tensor<3xf8E5M2FNUZ>, tensor<0x2xf8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xf8E5M2FNUZ>} : () -> tensor<2xf8E5M2FNUZ>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f8E5M2FNUZ>} : () -> tensor<f8E5M2FNUZ>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf8E5M2FNUZ>} : () -> tensor<2x2xf8E5M2FNUZ>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xf8E5M2FNUZ>} : () -> tensor<3xf8E5M2FNUZ>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf8E5M2FNUZ>} : () -> tensor<0x2xf8E5M2FNUZ>
    %5 = "stablehlo.constant"() {value = dense<-57344.0> : tensor<f8E5M2FNUZ>} : () -> tensor<f8E5M2FNUZ>
    %6 = "stablehlo.constant"() {value = dense<57344.0> : tensor<f8E5M2FNUZ>} : () -> tensor<f8E5M2FNUZ>
    %7 = "stablehlo.constant"() {value = dense<0.0> : tensor<f8E5M2FNUZ>} : () -> tensor<f8E5M2FNUZ>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<f8E5M2FNUZ>} : () -> tensor<f8E5M2FNUZ>
    %9 = "stablehlo.constant"() {value = dense<0.09375> : tensor<f8E5M2FNUZ>} : () -> tensor<f8E5M2FNUZ>
    %10 = "stablehlo.constant"() {value = dense<0x80> : tensor<f8E5M2FNUZ>} : () -> tensor<f8E5M2FNUZ>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %7, %10, %10, %10 : tensor<2xf8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<2x2xf8E5M2FNUZ>, tensor<3xf8E5M2FNUZ>, tensor<0x2xf8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>, tensor<f8E5M2FNUZ>
  }
}

// constants_f8E4M3
module @constants_f8E4M3 {
  func.func public @main() -> (tensor<2xf8E4M3>, tensor<f8E4M3>, tensor<2x2xf8E4M3>, tensor<3xf8E4M3>, tensor<0x2xf8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xf8E4M3>} : () -> tensor<2xf8E4M3>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f8E4M3>} : () -> tensor<f8E4M3>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf8E4M3>} : () -> tensor<2x2xf8E4M3>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xf8E4M3>} : () -> tensor<3xf8E4M3>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf8E4M3>} : () -> tensor<0x2xf8E4M3>
    %5 = "stablehlo.constant"() {value = dense<0xF8> : tensor<f8E4M3>} : () -> tensor<f8E4M3>
    %6 = "stablehlo.constant"() {value = dense<0x78> : tensor<f8E4M3>} : () -> tensor<f8E4M3>
    %7 = "stablehlo.constant"() {value = dense<-0.0> : tensor<f8E4M3>} : () -> tensor<f8E4M3>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<f8E4M3>} : () -> tensor<f8E4M3>
    %9 = "stablehlo.constant"() {value = dense<0.1015625> : tensor<f8E4M3>} : () -> tensor<f8E4M3>
    %10 = "stablehlo.constant"() {value = dense<0.0> : tensor<f8E4M3>} : () -> tensor<f8E4M3>
    %11 = "stablehlo.constant"() {value = dense<0x7C> : tensor<f8E4M3>} : () -> tensor<f8E4M3>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %6, %5, %11 : tensor<2xf8E4M3>, tensor<f8E4M3>, tensor<2x2xf8E4M3>, tensor<3xf8E4M3>, tensor<0x2xf8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>, tensor<f8E4M3>
  }
}

// constants_f8E3M4
module @constants_f8E3M4 {
  func.func public @main() -> (tensor<2xf8E3M4>, tensor<f8E3M4>, tensor<2x2xf8E3M4>, tensor<3xf8E3M4>, tensor<0x2xf8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xf8E3M4>} : () -> tensor<2xf8E3M4>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f8E3M4>} : () -> tensor<f8E3M4>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf8E3M4>} : () -> tensor<2x2xf8E3M4>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xf8E3M4>} : () -> tensor<3xf8E3M4>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf8E3M4>} : () -> tensor<0x2xf8E3M4>
    %5 = "stablehlo.constant"() {value = dense<0xF0> : tensor<f8E3M4>} : () -> tensor<f8E3M4>
    %6 = "stablehlo.constant"() {value = dense<0x70> : tensor<f8E3M4>} : () -> tensor<f8E3M4>
    %7 = "stablehlo.constant"() {value = dense<-0.0> : tensor<f8E3M4>} : () -> tensor<f8E3M4>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<f8E3M4>} : () -> tensor<f8E3M4>
    %9 = "stablehlo.constant"() {value = dense<0.09375> : tensor<f8E3M4>} : () -> tensor<f8E3M4>
    %10 = "stablehlo.constant"() {value = dense<0.0> : tensor<f8E3M4>} : () -> tensor<f8E3M4>
    %11 = "stablehlo.constant"() {value = dense<0x78> : tensor<f8E3M4>} : () -> tensor<f8E3M4>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %6, %5, %11 : tensor<2xf8E3M4>, tensor<f8E3M4>, tensor<2x2xf8E3M4>, tensor<3xf8E3M4>, tensor<0x2xf8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>, tensor<f8E3M4>
  }
}

// constants_f8E8M0FNU
module @constants_f8E8M0FNU {
  func.func public @main() -> (tensor<2xf8E8M0FNU>, tensor<f8E8M0FNU>, tensor<2x2xf8E8M0FNU>, tensor<3xf8E8M0FNU>, tensor<0x2xf8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>) {
    %0 = "stablehlo.constant"() {value = dense<0x00> : tensor<2xf8E8M0FNU>} : () -> tensor<2xf8E8M0FNU>
    %1 = "stablehlo.constant"() {value = dense<0x7F> : tensor<f8E8M0FNU>} : () -> tensor<f8E8M0FNU>
    %2 = "stablehlo.constant"() {value = dense<[[0x00, 0x7F], [0x80, 0x81]]> : tensor<2x2xf8E8M0FNU>} : () -> tensor<2x2xf8E8M0FNU>
    %3 = "stablehlo.constant"() {value = dense<[0x7F, 0x00, 0x7F]> : tensor<3xf8E8M0FNU>} : () -> tensor<3xf8E8M0FNU>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf8E8M0FNU>} : () -> tensor<0x2xf8E8M0FNU>
    %5 = "stablehlo.constant"() {value = dense<0xFF> : tensor<f8E8M0FNU>} : () -> tensor<f8E8M0FNU>
    %6 = "stablehlo.constant"() {value = dense<0xFE> : tensor<f8E8M0FNU>} : () -> tensor<f8E8M0FNU>
    %7 = "stablehlo.constant"() {value = dense<0x00> : tensor<f8E8M0FNU>} : () -> tensor<f8E8M0FNU>
    %8 = "stablehlo.constant"() {value = dense<0x7C> : tensor<f8E8M0FNU>} : () -> tensor<f8E8M0FNU>
    %9 = "stablehlo.constant"() {value = dense<0x1B> : tensor<f8E8M0FNU>} : () -> tensor<f8E8M0FNU>
    return %0, %1, %2, %3, %4, %5, %6, %7, %5, %8, %9, %5, %5, %5 : tensor<2xf8E8M0FNU>, tensor<f8E8M0FNU>, tensor<2x2xf8E8M0FNU>, tensor<3xf8E8M0FNU>, tensor<0x2xf8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>, tensor<f8E8M0FNU>
  }
}

// constants_f8E4M3B11FNUZ
module @constants_f8E4M3B11FNUZ {
  func.func public @main() -> (tensor<2xf8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<2x2xf8E4M3B11FNUZ>, tensor<3xf8E4M3B11FNUZ>, tensor<0x2xf8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xf8E4M3B11FNUZ>} : () -> tensor<2xf8E4M3B11FNUZ>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f8E4M3B11FNUZ>} : () -> tensor<f8E4M3B11FNUZ>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf8E4M3B11FNUZ>} : () -> tensor<2x2xf8E4M3B11FNUZ>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xf8E4M3B11FNUZ>} : () -> tensor<3xf8E4M3B11FNUZ>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf8E4M3B11FNUZ>} : () -> tensor<0x2xf8E4M3B11FNUZ>
    %5 = "stablehlo.constant"() {value = dense<-30.0> : tensor<f8E4M3B11FNUZ>} : () -> tensor<f8E4M3B11FNUZ>
    %6 = "stablehlo.constant"() {value = dense<30.0> : tensor<f8E4M3B11FNUZ>} : () -> tensor<f8E4M3B11FNUZ>
    %7 = "stablehlo.constant"() {value = dense<0.0> : tensor<f8E4M3B11FNUZ>} : () -> tensor<f8E4M3B11FNUZ>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<f8E4M3B11FNUZ>} : () -> tensor<f8E4M3B11FNUZ>
    %9 = "stablehlo.constant"() {value = dense<0.1015625> : tensor<f8E4M3B11FNUZ>} : () -> tensor<f8E4M3B11FNUZ>
    %10 = "stablehlo.constant"() {value = dense<0x80> : tensor<f8E4M3B11FNUZ>} : () -> tensor<f8E4M3B11FNUZ>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %7, %10, %10, %10 : tensor<2xf8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<2x2xf8E4M3B11FNUZ>, tensor<3xf8E4M3B11FNUZ>, tensor<0x2xf8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E4M3B11FNUZ>
  }
}

// constants_f4E2M1FN
module @constants_f4E2M1FN {
  func.func public @main() -> (tensor<2xf4E2M1FN>, tensor<f4E2M1FN>, tensor<2x2xf4E2M1FN>, tensor<3xf4E2M1FN>, tensor<0x2xf4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<2xf4E2M1FN>} : () -> tensor<2xf4E2M1FN>
    %1 = "stablehlo.constant"() {value = dense<1.0> : tensor<f4E2M1FN>} : () -> tensor<f4E2M1FN>
    %2 = "stablehlo.constant"() {value = dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf4E2M1FN>} : () -> tensor<2x2xf4E2M1FN>
    %3 = "stablehlo.constant"() {value = dense<[1.0, 0.0, 1.0]> : tensor<3xf4E2M1FN>} : () -> tensor<3xf4E2M1FN>
    %4 = "stablehlo.constant"() {value = dense<> : tensor<0x2xf4E2M1FN>} : () -> tensor<0x2xf4E2M1FN>
    %5 = "stablehlo.constant"() {value = dense<-6.0> : tensor<f4E2M1FN>} : () -> tensor<f4E2M1FN>
    %6 = "stablehlo.constant"() {value = dense<6.0> : tensor<f4E2M1FN>} : () -> tensor<f4E2M1FN>
    %7 = "stablehlo.constant"() {value = dense<-0.0> : tensor<f4E2M1FN>} : () -> tensor<f4E2M1FN>
    %8 = "stablehlo.constant"() {value = dense<-1.5> : tensor<f4E2M1FN>} : () -> tensor<f4E2M1FN>
    %9 = "stablehlo.constant"() {value = dense<0.0> : tensor<f4E2M1FN>} : () -> tensor<f4E2M1FN>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %9, %6, %5, %9 : tensor<2xf4E2M1FN>, tensor<f4E2M1FN>, tensor<2x2xf4E2M1FN>, tensor<3xf4E2M1FN>, tensor<0x2xf4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>, tensor<f4E2M1FN>
  }
}

// empty
module @empty {
  func.func public @main() -> () {
    return
  }
}

// passthrough
module @passthrough {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
    return %arg0 : tensor<2xf32>
  }
}

// operators
module @operators {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %1 = "stablehlo.multiply"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %2 = "stablehlo.divide"(%1, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %3 = "stablehlo.remainder"(%2, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %4 = "stablehlo.subtract"(%0, %3) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %5 = "stablehlo.negate"(%4) : (tensor<2xf32>) -> tensor<2xf32>
    return %5 : tensor<2xf32>
  }
}

// bit_operators
module @bit_operators {
  func.func public @main(%arg0: tensor<2xi32>, %arg1: tensor<2xi32>) -> (tensor<2xi32>) {
    %0 = "stablehlo.and"(%arg0, %arg1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %1 = "stablehlo.xor"(%arg0, %arg1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %2 = "stablehlo.or"(%0, %1) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    %3 = "stablehlo.not"(%2) : (tensor<2xi32>) -> tensor<2xi32>
    return %3 : tensor<2xi32>
  }
}

// scalar_helpers
module @scalar_helpers {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.constant"() {value = dense<1.0> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %1 = "stablehlo.add"(%arg0, %0) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = "stablehlo.constant"() {value = dense<2.0> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %3 = "stablehlo.subtract"(%1, %2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %4 = "stablehlo.constant"() {value = dense<3.0> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %5 = "stablehlo.multiply"(%3, %4) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %6 = "stablehlo.constant"() {value = dense<4.0> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %7 = "stablehlo.divide"(%5, %6) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return %7 : tensor<2x3xf32>
  }
}

// compare_total_order
module @compare_total_order {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xi1>) {
    %0 = "stablehlo.compare"(%arg0, %arg1) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    return %0 : tensor<2xi1>
  }
}

// select
module @select {
  func.func public @main(%arg0: tensor<2xi1>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = "stablehlo.select"(%arg0, %arg1, %arg2) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// select_scalar
module @select_scalar {
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = "stablehlo.select"(%arg0, %arg1, %arg2) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// clamp
module @clamp {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>, %arg2: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = "stablehlo.clamp"(%arg1, %arg0, %arg2) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// clamp_scalar
module @clamp_scalar {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> (tensor<2xf32>) {
    %0 = "stablehlo.clamp"(%arg1, %arg0, %arg2) : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// bitcast_same
module @bitcast_same {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2xi32>) {
    %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<2xf32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}

// bitcast_narrower
module @bitcast_narrower {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2x4xui8>) {
    %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<2xf32>) -> tensor<2x4xui8>
    return %0 : tensor<2x4xui8>
  }
}

// bitcast_wider
module @bitcast_wider {
  func.func public @main(%arg0: tensor<3x2xui16>) -> (tensor<3xf32>) {
    %0 = "stablehlo.bitcast_convert"(%arg0) : (tensor<3x2xui16>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}

// reduce_precision
module @reduce_precision {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = "stablehlo.reduce_precision"(%arg0) {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// iota
module @iota {
  func.func public @main() -> (tensor<2x3xi32>, tensor<4xf32>, tensor<4xcomplex<f32>>) {
    %0 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xi32>
    %1 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xf32>
    %2 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<4xcomplex<f32>>
    return %0, %1, %2 : tensor<2x3xi32>, tensor<4xf32>, tensor<4xcomplex<f32>>
  }
}

// reshape
module @reshape {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<1x6x1xf32>, tensor<2x3xf32>) {
    %0 = "stablehlo.reshape"(%arg0) : (tensor<2x3xf32>) -> tensor<6xf32>
    %1 = "stablehlo.reshape"(%arg0) : (tensor<2x3xf32>) -> tensor<1x6x1xf32>
    return %0, %1, %arg0 : tensor<6xf32>, tensor<1x6x1xf32>, tensor<2x3xf32>
  }
}

// reshape_scalar
module @reshape_scalar {
  func.func public @main(%arg0: tensor<1x1xf32>) -> (tensor<f32>) {
    %0 = "stablehlo.reshape"(%arg0) : (tensor<1x1xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// transpose
module @transpose {
  func.func public @main(%arg0: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>) {
    %0 = "stablehlo.transpose"(%arg0) {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    return %0 : tensor<4x2x3xf32>
  }
}

// broadcast_in_dim
module @broadcast_in_dim {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3x2xf32>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}

// broadcast_to
module @broadcast_to {
  func.func public @main(%arg0: tensor<3x1xf32>) -> (tensor<2x3x4xf32>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 1, 2>} : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
}

// broadcast_scalar
module @broadcast_scalar {
  func.func public @main(%arg0: tensor<f32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64>} : (tensor<f32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// broadcast_to_empty
module @broadcast_to_empty {
  func.func public @main(%arg0: tensor<1x1xf32>) -> (tensor<0x3xf32>) {
    %0 = "stablehlo.broadcast_in_dim"(%arg0) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<1x1xf32>) -> tensor<0x3xf32>
    return %0 : tensor<0x3xf32>
  }
}

// slice
module @slice {
  func.func public @main(%arg0: tensor<8x9xf32>) -> (tensor<3x5xf32>, tensor<8x3xf32>) {
    %0 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 1, 0>, limit_indices = array<i64: 8, 9>, strides = array<i64: 3, 2>} : (tensor<8x9xf32>) -> tensor<3x5xf32>
    %1 = "stablehlo.slice"(%arg0) {start_indices = array<i64: 0, 2>, limit_indices = array<i64: 8, 5>, strides = array<i64: 1, 1>} : (tensor<8x9xf32>) -> tensor<8x3xf32>
    return %0, %1 : tensor<3x5xf32>, tensor<8x3xf32>
  }
}

// reverse
module @reverse {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.reverse"(%arg0) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// pad
module @pad {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>) -> (tensor<5x4xf32>) {
    %0 = "stablehlo.pad"(%arg0, %arg1) {edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 0, 2>, interior_padding = array<i64: 2, 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  }
}

// concatenate
module @concatenate {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x1xf32>) -> (tensor<2x7xf32>) {
    %0 = "stablehlo.concatenate"(%arg0, %arg1, %arg0) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x7xf32>
    return %0 : tensor<2x7xf32>
  }
}

// set_dimension_size
module @set_dimension_size {
  func.func public @main(%arg0: tensor<4x3xf32>, %arg1: tensor<i32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<i32>) {
    %0 = "stablehlo.set_dimension_size"(%arg0, %arg1) {dimension = 0 : i64} : (tensor<4x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
    %1 = "stablehlo.add"(%0, %0) : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
    %2 = "stablehlo.constant"() {value = dense<1.0> : tensor<4x3xf32>} : () -> tensor<4x3xf32>
    %3 = "stablehlo.add"(%1, %2) : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<4x3xf32>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
    %4 = "stablehlo.exponential"(%3) : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>>
    %5 = "stablehlo.constant"() {value = dense<4> : tensor<i32>} : () -> tensor<i32>
    %6 = "stablehlo.set_dimension_size"(%4, %5) {dimension = 0 : i64} : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<i32>) -> tensor<4x3xf32>
    %7 = "stablehlo.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %8 = "stablehlo.reduce"(%4, %7) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<f32>):
      %9 = "stablehlo.add"(%b0, %b1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%9) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<3xf32>
    %10 = "stablehlo.reduce"(%4, %7) ({
    ^bb0(%b2: tensor<f32>, %b3: tensor<f32>):
      %11 = "stablehlo.add"(%b2, %b3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%11) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 1>} : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<4>>
    %12 = "stablehlo.set_dimension_size"(%10, %5) {dimension = 0 : i64} : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<i32>) -> tensor<4xf32>
    %13 = "stablehlo.get_dimension_size"(%4) {dimension = 0 : i64} : (tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<i32>
    return %6, %8, %12, %13 : tensor<4x3xf32>, tensor<3xf32>, tensor<4xf32>, tensor<i32>
  }
}

// get_dimension_size
module @get_dimension_size {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<i32>) {
    %0 = "stablehlo.get_dimension_size"(%arg0) {dimension = 1 : i64} : (tensor<2x3xf32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
}

// reduce_add
module @reduce_add {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<f32>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %1 = "stablehlo.reduce"(%arg0, %0) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<f32>):
      %2 = "stablehlo.add"(%b0, %b1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %3 = "stablehlo.reduce"(%arg0, %0) ({
    ^bb0(%b2: tensor<f32>, %b3: tensor<f32>):
      %4 = "stablehlo.add"(%b2, %b3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%4) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    return %1, %3 : tensor<2xf32>, tensor<f32>
  }
}

// reduce_wrappers
module @reduce_wrappers {
  func.func public @main(%arg0: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) {
    %0 = "stablehlo.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %1 = "stablehlo.reduce"(%arg0, %0) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<f32>):
      %2 = "stablehlo.multiply"(%b0, %b1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    %3 = "stablehlo.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> tensor<f32>
    %4 = "stablehlo.reduce"(%arg0, %3) ({
    ^bb0(%b2: tensor<f32>, %b3: tensor<f32>):
      %5 = "stablehlo.maximum"(%b2, %b3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%5) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
    %6 = "stablehlo.constant"() {value = dense<0x7F800000> : tensor<f32>} : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%arg0, %6) ({
    ^bb0(%b4: tensor<f32>, %b5: tensor<f32>):
      %8 = "stablehlo.minimum"(%b4, %b5) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%8) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    return %1, %4, %7 : tensor<3xf32>, tensor<3xf32>, tensor<2xf32>
  }
}

// reduce_wrappers_i32
module @reduce_wrappers_i32 {
  func.func public @main(%arg0: tensor<2x3xi32>) -> (tensor<3xi32>, tensor<2xi32>, tensor<3xi32>, tensor<3xi32>) {
    %0 = "stablehlo.constant"() {value = dense<-2147483648> : tensor<i32>} : () -> tensor<i32>
    %1 = "stablehlo.reduce"(%arg0, %0) ({
    ^bb0(%b0: tensor<i32>, %b1: tensor<i32>):
      %2 = "stablehlo.maximum"(%b0, %b1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%2) : (tensor<i32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
    %3 = "stablehlo.constant"() {value = dense<2147483647> : tensor<i32>} : () -> tensor<i32>
    %4 = "stablehlo.reduce"(%arg0, %3) ({
    ^bb0(%b2: tensor<i32>, %b3: tensor<i32>):
      %5 = "stablehlo.minimum"(%b2, %b3) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%5) : (tensor<i32>) -> ()
    }) {dimensions = array<i64: 1>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
    %6 = "stablehlo.constant"() {value = dense<-1> : tensor<i32>} : () -> tensor<i32>
    %7 = "stablehlo.reduce"(%arg0, %6) ({
    ^bb0(%b4: tensor<i32>, %b5: tensor<i32>):
      %8 = "stablehlo.and"(%b4, %b5) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%8) : (tensor<i32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
    %9 = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %10 = "stablehlo.reduce"(%arg0, %9) ({
    ^bb0(%b6: tensor<i32>, %b7: tensor<i32>):
      %11 = "stablehlo.or"(%b6, %b7) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%11) : (tensor<i32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
    return %1, %4, %7, %10 : tensor<3xi32>, tensor<2xi32>, tensor<3xi32>, tensor<3xi32>
  }
}

// reduce_wrappers_bool
module @reduce_wrappers_bool {
  func.func public @main(%arg0: tensor<2x3xi1>) -> (tensor<3xi1>, tensor<3xi1>, tensor<2xi1>, tensor<2xi1>) {
    %0 = "stablehlo.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
    %1 = "stablehlo.reduce"(%arg0, %0) ({
    ^bb0(%b0: tensor<i1>, %b1: tensor<i1>):
      %2 = "stablehlo.and"(%b0, %b1) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%2) : (tensor<i1>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<2x3xi1>, tensor<i1>) -> tensor<3xi1>
    %3 = "stablehlo.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
    %4 = "stablehlo.reduce"(%arg0, %3) ({
    ^bb0(%b2: tensor<i1>, %b3: tensor<i1>):
      %5 = "stablehlo.or"(%b2, %b3) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%5) : (tensor<i1>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<2x3xi1>, tensor<i1>) -> tensor<3xi1>
    %6 = "stablehlo.reduce"(%arg0, %3) ({
    ^bb0(%b4: tensor<i1>, %b5: tensor<i1>):
      %7 = "stablehlo.maximum"(%b4, %b5) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%7) : (tensor<i1>) -> ()
    }) {dimensions = array<i64: 1>} : (tensor<2x3xi1>, tensor<i1>) -> tensor<2xi1>
    %8 = "stablehlo.reduce"(%arg0, %0) ({
    ^bb0(%b6: tensor<i1>, %b7: tensor<i1>):
      %9 = "stablehlo.minimum"(%b6, %b7) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%9) : (tensor<i1>) -> ()
    }) {dimensions = array<i64: 1>} : (tensor<2x3xi1>, tensor<i1>) -> tensor<2xi1>
    return %1, %4, %6, %8 : tensor<3xi1>, tensor<3xi1>, tensor<2xi1>, tensor<2xi1>
  }
}

// reduce_argmax
module @reduce_argmax {
  func.func public @main(%arg0: tensor<2x5xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
    %0 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x5xi32>
    %1 = "stablehlo.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> tensor<f32>
    %2 = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %3:2 = "stablehlo.reduce"(%arg0, %0, %1, %2) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<i32>, %b2: tensor<f32>, %b3: tensor<i32>):
      %4 = "stablehlo.compare"(%b0, %b2) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %5 = "stablehlo.select"(%4, %b0, %b2) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
      %6 = "stablehlo.select"(%4, %b1, %b3) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%5, %6) : (tensor<f32>, tensor<i32>) -> ()
    }) {dimensions = array<i64: 1>} : (tensor<2x5xf32>, tensor<2x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    return %3#0, %3#1 : tensor<2xf32>, tensor<2xi32>
  }
}

// reduce_body_constant
module @reduce_body_constant {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<f32>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %1 = "stablehlo.reduce"(%arg0, %0) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<f32>):
      %2 = "stablehlo.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
      %3 = "stablehlo.multiply"(%b1, %2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %4 = "stablehlo.add"(%b0, %3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%4) : (tensor<f32>) -> ()
    }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}

// reduce_window
module @reduce_window {
  func.func public @main(%arg0: tensor<1x6x6xf32>) -> (tensor<1x3x3xf32>) {
    %0 = "stablehlo.constant"() {value = dense<0xFF800000> : tensor<f32>} : () -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<f32>):
      %2 = "stablehlo.maximum"(%b0, %b1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) {window_dimensions = array<i64: 1, 2, 2>, window_strides = array<i64: 1, 2, 2>, base_dilations = array<i64: 1, 1, 1>, window_dilations = array<i64: 1, 2, 1>, padding = dense<[[0, 0], [1, 1], [0, 1]]> : tensor<3x2xi64>} : (tensor<1x6x6xf32>, tensor<f32>) -> tensor<1x3x3xf32>
    return %1 : tensor<1x3x3xf32>
  }
}

// reduce_window_base_dilated
module @reduce_window_base_dilated {
  func.func public @main(%arg0: tensor<5xf32>) -> (tensor<7xf32>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<f32>):
      %2 = "stablehlo.add"(%b0, %b1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }) {window_dimensions = array<i64: 3>, window_strides = array<i64: 1>, base_dilations = array<i64: 2>, window_dilations = array<i64: 1>, padding = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<5xf32>, tensor<f32>) -> tensor<7xf32>
    return %1 : tensor<7xf32>
  }
}

// reduce_window_cumsum_2
module @reduce_window_cumsum_2 {
  func.func public @main(%arg0: tensor<5xi32>, %arg1: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %1:2 = "stablehlo.reduce_window"(%arg0, %arg1, %0, %0) ({
    ^bb0(%b0: tensor<i32>, %b1: tensor<i32>, %b2: tensor<i32>, %b3: tensor<i32>):
      %2 = "stablehlo.add"(%b0, %b2) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %3 = "stablehlo.add"(%b1, %b3) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%2, %3) : (tensor<i32>, tensor<i32>) -> ()
    }) {window_dimensions = array<i64: 5>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>, window_dilations = array<i64: 1>, padding = dense<[[4, 0]]> : tensor<1x2xi64>} : (tensor<5xi32>, tensor<5xi32>, tensor<i32>, tensor<i32>) -> (tensor<5xi32>, tensor<5xi32>)
    return %1#0, %1#1 : tensor<5xi32>, tensor<5xi32>
  }
}

// select_and_scatter
module @select_and_scatter {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<2x3xf32>) -> (tensor<4x6xf32>) {
    %0 = "stablehlo.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %1 = "stablehlo.select_and_scatter"(%arg0, %arg1, %0) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<f32>):
      %2 = "stablehlo.compare"(%b0, %b1) {comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%2) : (tensor<i1>) -> ()
    }, {
    ^bb0(%b2: tensor<f32>, %b3: tensor<f32>):
      %3 = "stablehlo.add"(%b2, %b3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%3) : (tensor<f32>) -> ()
    }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<4x6xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
}

// sort
module @sort {
  func.func public @main(%arg0: tensor<2x5xf32>) -> (tensor<2x5xf32>) {
    %0 = "stablehlo.sort"(%arg0) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<f32>):
      %1 = "stablehlo.compare"(%b0, %b1) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) {dimension = 1 : i64, is_stable = false} : (tensor<2x5xf32>) -> tensor<2x5xf32>
    return %0 : tensor<2x5xf32>
  }
}

// sort_stable_pairs
module @sort_stable_pairs {
  func.func public @main(%arg0: tensor<2x5xf32>, %arg1: tensor<2x5xi32>) -> (tensor<2x5xf32>, tensor<2x5xi32>) {
    %0:2 = "stablehlo.sort"(%arg0, %arg1) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<f32>, %b2: tensor<i32>, %b3: tensor<i32>):
      %1 = "stablehlo.compare"(%b0, %b1) {comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) {dimension = 1 : i64, is_stable = true} : (tensor<2x5xf32>, tensor<2x5xi32>) -> (tensor<2x5xf32>, tensor<2x5xi32>)
    return %0#0, %0#1 : tensor<2x5xf32>, tensor<2x5xi32>
  }
}

// gather_rows
module @gather_rows {
  func.func public @main(%arg0: tensor<5x3xf32>, %arg1: tensor<2x4xi32>) -> (tensor<2x4x3xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false} : (tensor<5x3xf32>, tensor<2x4xi32>) -> tensor<2x4x3xf32>
    return %0 : tensor<2x4x3xf32>
  }
}

// gather_batched
module @gather_batched {
  func.func public @main(%arg0: tensor<2x5x3xf32>, %arg1: tensor<2x4x1xi64>) -> (tensor<2x4x3xf32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>, indices_are_sorted = true} : (tensor<2x5x3xf32>, tensor<2x4x1xi64>) -> tensor<2x4x3xf32>
    return %0 : tensor<2x4x3xf32>
  }
}

// scatter_add_rows
module @scatter_add_rows {
  func.func public @main(%arg0: tensor<5x3xf32>, %arg1: tensor<4x1xi32>, %arg2: tensor<4x3xf32>) -> (tensor<5x3xf32>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<f32>):
      %1 = "stablehlo.add"(%b0, %b1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<5x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<5x3xf32>
    return %0 : tensor<5x3xf32>
  }
}

// scatter_batched
module @scatter_batched {
  func.func public @main(%arg0: tensor<2x5xf32>, %arg1: tensor<2x3x1xi32>, %arg2: tensor<2x3xf32>) -> (tensor<2x5xf32>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<f32>):
      "stablehlo.return"(%b1) : (tensor<f32>) -> ()
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, indices_are_sorted = false, unique_indices = true} : (tensor<2x5xf32>, tensor<2x3x1xi32>, tensor<2x3xf32>) -> tensor<2x5xf32>
    return %0 : tensor<2x5xf32>
  }
}

// scatter_two_inputs
module @scatter_two_inputs {
  func.func public @main(%arg0: tensor<5xf32>, %arg1: tensor<5xi32>, %arg2: tensor<4x1xi32>, %arg3: tensor<4xf32>, %arg4: tensor<4xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
    %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) ({
    ^bb0(%b0: tensor<f32>, %b1: tensor<i32>, %b2: tensor<f32>, %b3: tensor<i32>):
      "stablehlo.return"(%b2, %b3) : (tensor<f32>, tensor<i32>) -> ()
    }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<5xf32>, tensor<5xi32>, tensor<4x1xi32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<5xf32>, tensor<5xi32>)
    return %0#0, %0#1 : tensor<5xf32>, tensor<5xi32>
  }
}

// dynamic_slice
module @dynamic_slice {
  func.func public @main(%arg0: tensor<5x3xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg2) {slice_sizes = array<i64: 2, 3>} : (tensor<5x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// dynamic_update_slice
module @dynamic_update_slice {
  func.func public @main(%arg0: tensor<5x3xf32>, %arg1: tensor<2x2xf32>, %arg2: tensor<i64>, %arg3: tensor<i64>) -> (tensor<5x3xf32>) {
    %0 = "stablehlo.dynamic_update_slice"(%arg0, %arg1, %arg2, %arg3) : (tensor<5x3xf32>, tensor<2x2xf32>, tensor<i64>, tensor<i64>) -> tensor<5x3xf32>
    return %0 : tensor<5x3xf32>
  }
}

// dot_general
module @dot_general {
  func.func public @main(%arg0: tensor<7x2x3xf32>, %arg1: tensor<7x3x4xf32>) -> (tensor<7x2x4xf32>) {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<7x2x3xf32>, tensor<7x3x4xf32>) -> tensor<7x2x4xf32>
    return %0 : tensor<7x2x4xf32>
  }
}

// dot_general_bf16_f32
module @dot_general_bf16_f32 {
  func.func public @main(%arg0: tensor<2x3xbf16>, %arg1: tensor<3x4xbf16>) -> (tensor<2x4xf32>) {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}

// dot_general_i8_i32
module @dot_general_i8_i32 {
  func.func public @main(%arg0: tensor<2x3xi8>, %arg1: tensor<3x4xi8>) -> (tensor<2x4xi32>) {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>
    return %0 : tensor<2x4xi32>
  }
}

// dot_general_outer
module @dot_general_outer {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) -> (tensor<2x3xf32>) {
    %0 = "stablehlo.dot_general"(%arg0, %arg1) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [], rhs_contracting_dimensions = []>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

// convolution
module @convolution {
  func.func public @main(%arg0: tensor<2x3x8x8xf32>, %arg1: tensor<4x3x3x3xf32>) -> (tensor<2x4x4x5xf32>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 2>, window_reversal = array<i1: false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = [2, 3], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [2, 3], output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = [2, 3]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]} : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x4x5xf32>
    return %0 : tensor<2x4x4x5xf32>
  }
}

// convolution_grouped
module @convolution_grouped {
  func.func public @main(%arg0: tensor<2x4x8xf32>, %arg1: tensor<6x2x3xf32>) -> (tensor<2x6x6xf32>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1>, padding = dense<[[0, 0]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = [2], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [2], output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = [2]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x8xf32>, tensor<6x2x3xf32>) -> tensor<2x6x6xf32>
    return %0 : tensor<2x6x6xf32>
  }
}

// convolution_transposed
module @convolution_transposed {
  func.func public @main(%arg0: tensor<1x2x5xf32>, %arg1: tensor<3x2x4xf32>) -> (tensor<1x3x12xf32>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1>, padding = dense<[[3, 3]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 2>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: true>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = [2], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [2], output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = [2]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x2x5xf32>, tensor<3x2x4xf32>) -> tensor<1x3x12xf32>
    return %0 : tensor<1x3x12xf32>
  }
}

// convolution_batch_groups
module @convolution_batch_groups {
  func.func public @main(%arg0: tensor<4x2x5xf32>, %arg1: tensor<6x2x3xf32>) -> (tensor<2x6x3xf32>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1>, padding = dense<[[0, 0]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = [2], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [2], output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = [2]>, feature_group_count = 1 : i64, batch_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<4x2x5xf32>, tensor<6x2x3xf32>) -> tensor<2x6x3xf32>
    return %0 : tensor<2x6x3xf32>
  }
}

// convolution_channels_last
module @convolution_channels_last {
  func.func public @main(%arg0: tensor<2x8x3xbf16>, %arg1: tensor<3x3x4xbf16>) -> (tensor<2x6x4xf32>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1>, padding = dense<[[0, 0]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, window_reversal = array<i1: false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x3xbf16>, tensor<3x3x4xbf16>) -> tensor<2x6x4xf32>
    return %0 : tensor<2x6x4xf32>
  }
}

// convolution_3d
module @convolution_3d {
  func.func public @main(%arg0: tensor<1x2x4x4x4xf32>, %arg1: tensor<2x2x2x2x2xf32>) -> (tensor<1x2x3x3x3xf32>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [0, 0], [0, 0]]> : tensor<3x2xi64>, lhs_dilation = array<i64: 1, 1, 1>, rhs_dilation = array<i64: 1, 1, 1>, window_reversal = array<i1: false, false, false>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = [2, 3, 4], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [2, 3, 4], output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = [2, 3, 4]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x2x4x4x4xf32>, tensor<2x2x2x2x2xf32>) -> tensor<1x2x3x3x3xf32>
    return %0 : tensor<1x2x3x3x3xf32>
  }
}

// convolution_no_spatial
module @convolution_no_spatial {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<4x3xf32>) -> (tensor<2x4xf32>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {window_strides = array<i64>, padding = dense<> : tensor<0x2xi64>, lhs_dilation = array<i64>, rhs_dilation = array<i64>, window_reversal = array<i1>, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = [], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [], output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = []>, feature_group_count = 1 : i64, batch_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}

// cholesky
module @cholesky {
  func.func public @main(%arg0: tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>) {
    %0 = "stablehlo.cholesky"(%arg0) {lower = true} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    return %0 : tensor<2x3x3xf32>
  }
}

// triangular_solve
module @triangular_solve {
  func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
    %0 = "stablehlo.triangular_solve"(%arg0, %arg1) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %1 = "stablehlo.triangular_solve"(%arg0, %arg1) {left_side = true, lower = false, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0, %1 : tensor<3x2xf32>, tensor<3x2xf32>
  }
}

// fft
module @fft {
  func.func public @main(%arg0: tensor<2x8xcomplex<f32>>) -> (tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>) {
    %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 8>} : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    %1 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type IFFT>, fft_length = array<i64: 2, 8>} : (tensor<2x8xcomplex<f32>>) -> tensor<2x8xcomplex<f32>>
    return %0, %1 : tensor<2x8xcomplex<f32>>, tensor<2x8xcomplex<f32>>
  }
}

// rfft
module @rfft {
  func.func public @main(%arg0: tensor<2x8xf32>) -> (tensor<2x5xcomplex<f32>>, tensor<2x8xf32>) {
    %0 = "stablehlo.fft"(%arg0) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 8>} : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
    %1 = "stablehlo.fft"(%0) {fft_type = #stablehlo<fft_type IRFFT>, fft_length = array<i64: 8>} : (tensor<2x5xcomplex<f32>>) -> tensor<2x8xf32>
    return %0, %1 : tensor<2x5xcomplex<f32>>, tensor<2x8xf32>
  }
}

// while_loop
module @while_loop {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<2xf32>) {
    %0 = "stablehlo.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %1:2 = "stablehlo.while"(%0, %arg0) ({
    ^bb0(%b0: tensor<i32>, %b1: tensor<2xf32>):
      %2 = "stablehlo.compare"(%b0, %arg1) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%2) : (tensor<i1>) -> ()
    }, {
    ^bb0(%b2: tensor<i32>, %b3: tensor<2xf32>):
      %3 = "stablehlo.constant"() {value = dense<1> : tensor<i32>} : () -> tensor<i32>
      %4 = "stablehlo.add"(%b2, %3) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %5 = "stablehlo.constant"() {value = dense<0.5> : tensor<2xf32>} : () -> tensor<2xf32>
      %6 = "stablehlo.multiply"(%b3, %5) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %7 = "stablehlo.add"(%6, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      "stablehlo.return"(%4, %7) : (tensor<i32>, tensor<2xf32>) -> ()
    }) : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
    return %1#0, %1#1 : tensor<i32>, tensor<2xf32>
  }
}

// case
module @case {
  func.func public @main(%arg0: tensor<i32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = "stablehlo.case"(%arg0) ({
      %1 = "stablehlo.exponential"(%arg1) : (tensor<2xf32>) -> tensor<2xf32>
      "stablehlo.return"(%1) : (tensor<2xf32>) -> ()
    }, {
      "stablehlo.return"(%arg1) : (tensor<2xf32>) -> ()
    }, {
      %2 = "stablehlo.constant"() {value = dense<7.0> : tensor<2xf32>} : () -> tensor<2xf32>
      "stablehlo.return"(%2) : (tensor<2xf32>) -> ()
    }) : (tensor<i32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// if
module @if {
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<2xf32>) -> (tensor<f32>) {
    %0 = "stablehlo.if"(%arg0) ({
      %1 = "stablehlo.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
      %2 = "stablehlo.reduce"(%arg1, %1) ({
      ^bb0(%b0: tensor<f32>, %b1: tensor<f32>):
        %3 = "stablehlo.add"(%b0, %b1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%3) : (tensor<f32>) -> ()
      }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%2) : (tensor<f32>) -> ()
    }, {
      %4 = "stablehlo.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
      "stablehlo.return"(%4) : (tensor<f32>) -> ()
    }) : (tensor<i1>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}

// optimization_barrier
module @optimization_barrier {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
    %0:2 = "stablehlo.optimization_barrier"(%arg0, %arg1) : (tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<i32>)
    return %0#0, %0#1 : tensor<2xf32>, tensor<i32>
  }
}

// top_k
module @top_k {
  func.func public @main(%arg0: tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
    %0:2 = "chlo.top_k"(%arg0) {k = 2 : i64} : (tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
    return %0#0, %0#1 : tensor<3x2xf32>, tensor<3x2xi32>
  }
}

// custom_call
module @custom_call {
  func.func public @main(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>) {
    %0 = "stablehlo.custom_call"(%arg0) {call_target_name = "Sharding", has_side_effect = false, api_version = 1 : i32} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// custom_call_typed_config
module @custom_call_typed_config {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0:2 = "stablehlo.custom_call"(%arg0, %arg1) {call_target_name = "torch_pjrt.test", has_side_effect = true, api_version = 4 : i32, backend_config = {"flag" = true, "count" = 7 : i64, "scale" = 0.5 : f32, "infinity" = 0x7FF0000000000000 : f64, "name" = "a \"quoted\" name", "dims" = array<i64: 1, 2>, "weights" = array<f64: 0.5, 1.0e-7>}, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
  }
}

// custom_call_text_config
module @custom_call_text_config {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = "stablehlo.custom_call"(%arg0) {call_target_name = "torch_pjrt.test", has_side_effect = false, api_version = 2 : i32, backend_config = "k=1", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// rng_bit_generator
module @rng_bit_generator {
  func.func public @main(%arg0: tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>, tensor<2xui64>, tensor<4xui32>, tensor<2xui64>, tensor<4xui32>) {
    %0:2 = "stablehlo.rng_bit_generator"(%arg0) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %1:2 = "stablehlo.rng_bit_generator"(%arg0) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %2:2 = "stablehlo.rng_bit_generator"(%arg0) {rng_algorithm = #stablehlo<rng_algorithm DEFAULT>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1 : tensor<2xui64>, tensor<4xui32>, tensor<2xui64>, tensor<4xui32>, tensor<2xui64>, tensor<4xui32>
  }
}

// donated_and_aliased
module @donated_and_aliased {
  func.func public @main(%arg0: tensor<2xf32> {jax.buffer_donor = true}, %arg1: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<2xf32>) {
    %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// several_results_in_regions
module @several_results_in_regions {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<i1>) -> (tensor<3xf32>, tensor<3xi32>) {
    %0:2 = "stablehlo.if"(%arg1) ({
      %1 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<3xi32>
      %2:2 = "stablehlo.sort"(%arg0, %1) ({
      ^bb0(%b0: tensor<f32>, %b1: tensor<f32>, %b2: tensor<i32>, %b3: tensor<i32>):
        %3 = "stablehlo.compare"(%b0, %b1) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type FLOAT>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
        "stablehlo.return"(%3) : (tensor<i1>) -> ()
      }) {dimension = 0 : i64, is_stable = true} : (tensor<3xf32>, tensor<3xi32>) -> (tensor<3xf32>, tensor<3xi32>)
      "stablehlo.return"(%2#0, %2#1) : (tensor<3xf32>, tensor<3xi32>) -> ()
    }, {
      %4 = "stablehlo.constant"() {value = dense<0> : tensor<3xi32>} : () -> tensor<3xi32>
      "stablehlo.return"(%arg0, %4) : (tensor<3xf32>, tensor<3xi32>) -> ()
    }) : (tensor<i1>) -> (tensor<3xf32>, tensor<3xi32>)
    return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
  }
}

