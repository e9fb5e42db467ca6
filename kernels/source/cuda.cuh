/* cuda.cuh - declarations of CUDA and HIP, so that sources are read without a toolkit
 *
 * It is put before each source.  A function without a body is one that gpucal knows, by its own name or by
 * the name in OpenCL C of the same operation (GPUCAL_IS).  All else is expressed by these.  Parts that few sources
 * need are left out of those in which the words of GPUCAL_NO_... in left_out.c are missing: parsing takes its time.
 */
/* clang-format off: one line for each function */
#pragma clang system_header

/* ---- qualifiers ---- */

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(n)
#define __inline_hint__
#define __device_builtin__
#define __cudart_builtin__
#define __nv_pure__
#define CUDARTAPI
#define CUDART_CB
#define CUDART_DEVICE __device__
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define CUDART_VERSION 12080
#define CUDA_VERSION 12080
#ifdef GPUCAL_HIP
#undef __NVCC__
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DEVICE_COMPILE__ 1
#endif

#define GPUCAL_DEVICE __attribute__((device))
#define GPUCAL_BOTH __attribute__((host)) __attribute__((device))
#define GPUCAL_INLINE GPUCAL_BOTH inline
/* Counted as one access of their width. */
#define GPUCAL_IS_VECTOR(bytes) __attribute__((aligned(bytes), annotate("vector")))
#define GPUCAL_IS(name) GPUCAL_BOTH __attribute__((annotate(#name)))

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long ssize_t;
typedef long clock_t;

#ifndef NULL
#define NULL 0
#endif
#define CHAR_BIT 8
#define SCHAR_MAX __SCHAR_MAX__
#define SCHAR_MIN (-__SCHAR_MAX__ - 1)
#define UCHAR_MAX (2 * __SCHAR_MAX__ + 1)
#define CHAR_MAX SCHAR_MAX
#define CHAR_MIN SCHAR_MIN
#define SHRT_MAX __SHRT_MAX__
#define SHRT_MIN (-__SHRT_MAX__ - 1)
#define USHRT_MAX (2 * __SHRT_MAX__ + 1)
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (2u * __INT_MAX__ + 1u)
#define LONG_MAX __LONG_MAX__
#define LONG_MIN (-__LONG_MAX__ - 1l)
#define ULONG_MAX (2ul * __LONG_MAX__ + 1ul)
#define LLONG_MAX __LONG_LONG_MAX__
#define LLONG_MIN (-__LONG_LONG_MAX__ - 1ll)
#define ULLONG_MAX (2ull * __LONG_LONG_MAX__ + 1ull)
#define FLT_MANT_DIG __FLT_MANT_DIG__
#define FLT_DIG __FLT_DIG__
#define FLT_MIN __FLT_MIN__
#define FLT_MAX __FLT_MAX__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MANT_DIG __DBL_MANT_DIG__
#define DBL_DIG __DBL_DIG__
#define DBL_MIN __DBL_MIN__
#define DBL_MAX __DBL_MAX__
#define DBL_EPSILON __DBL_EPSILON__
#define INT8_MAX SCHAR_MAX
#define INT16_MAX SHRT_MAX
#define INT32_MAX INT_MAX
#define INT32_MIN INT_MIN
#define INT64_MAX LONG_MAX
#define INT64_MIN LONG_MIN
#define UINT8_MAX UCHAR_MAX
#define UINT16_MAX USHRT_MAX
#define UINT32_MAX UINT_MAX
#define UINT64_MAX ULONG_MAX

/* ---- vectors ---- */

#define GPUCAL_VECTOR(type, name, size)                                                                       \
    struct name##1 {                                                                                          \
        type x;                                                                                               \
    };                                                                                                        \
    struct GPUCAL_IS_VECTOR(2 * size) name##2 {                                                               \
        type x, y;                                                                                            \
    };                                                                                                        \
    struct name##3 {                                                                                          \
        type x, y, z;                                                                                         \
    };                                                                                                        \
    struct GPUCAL_IS_VECTOR(size > 4 ? 16 : 4 * size) name##4 {                                               \
        type x, y, z, w;                                                                                      \
    };                                                                                                        \
    GPUCAL_INLINE name##1 make_##name##1(type x) { return { x }; }                                            \
    GPUCAL_INLINE name##2 make_##name##2(type x, type y) { return { x, y }; }                                 \
    GPUCAL_INLINE name##3 make_##name##3(type x, type y, type z) { return { x, y, z }; }                      \
    GPUCAL_INLINE name##4 make_##name##4(type x, type y, type z, type w) { return { x, y, z, w }; }
GPUCAL_VECTOR(signed char, char, 1)
GPUCAL_VECTOR(unsigned char, uchar, 1)
GPUCAL_VECTOR(short, short, 2)
GPUCAL_VECTOR(unsigned short, ushort, 2)
GPUCAL_VECTOR(int, int, 4)
GPUCAL_VECTOR(unsigned, uint, 4)
GPUCAL_VECTOR(long, long, 8)
GPUCAL_VECTOR(unsigned long, ulong, 8)
GPUCAL_VECTOR(long long, longlong, 8)
GPUCAL_VECTOR(unsigned long long, ulonglong, 8)
GPUCAL_VECTOR(float, float, 4)
GPUCAL_VECTOR(double, double, 8)

struct dim3 {
    unsigned x, y, z;
    GPUCAL_BOTH constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    GPUCAL_BOTH constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    GPUCAL_BOTH constexpr operator uint3() const { return { x, y, z }; }
};

extern const GPUCAL_DEVICE uint3 threadIdx, blockIdx;
extern const GPUCAL_DEVICE dim3 blockDim, gridDim;
/* A constant for compilers, if not in CUDA's text; of AMD's GPUs for computing, others have 32. */
#ifdef GPUCAL_HIP
static constexpr int warpSize = 64;
#else
static constexpr int warpSize = 32;
#endif

/* ---- the standard library, as far as kernels use it ---- */

namespace std {
template <bool b, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> {
    typedef T type;
};
template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class T, class F> struct conditional {
    typedef T type;
};
template <class T, class F> struct conditional<false, T, F> {
    typedef F type;
};
template <bool b, class T, class F> using conditional_t = typename conditional<b, T, F>::type;
template <class T> using decay_t = __decay(T);
}

#ifndef GPUCAL_NO_STD
namespace std {
using ::ptrdiff_t;
using ::size_t;
using ::int8_t;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::uint8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::intptr_t;
using ::uintptr_t;
typedef decltype(nullptr) nullptr_t;

template <class T, T v> struct integral_constant {
    static constexpr T value = v;
    typedef T value_type;
    typedef integral_constant type;
    constexpr operator T() const { return v; }
    constexpr T operator()() const { return v; }
};
template <bool b> using bool_constant = integral_constant<bool, b>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;
template <class T, class U> struct is_same : false_type {};
template <class T> struct is_same<T, T> : true_type {};
template <class...> using void_t = void;
#define GPUCAL_REMOVE(name, pattern)                                                                          \
    template <class T> struct name {                                                                          \
        typedef T type;                                                                                       \
    };                                                                                                        \
    template <class T> struct name<pattern> {                                                                 \
        typedef T type;                                                                                       \
    };                                                                                                        \
    template <class T> using name##_t = typename name<T>::type;
GPUCAL_REMOVE(remove_const, const T)
GPUCAL_REMOVE(remove_volatile, volatile T)
GPUCAL_REMOVE(remove_pointer, T *)
template <class T> struct remove_reference {
    typedef T type;
};
template <class T> struct remove_reference<T &> {
    typedef T type;
};
template <class T> struct remove_reference<T &&> {
    typedef T type;
};
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_cv : remove_const<remove_volatile_t<T>> {};
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> struct decay {
    typedef decay_t<T> type;
};
template <class T> struct make_unsigned {
    typedef __make_unsigned(T) type;
};
template <class T> struct make_signed {
    typedef __make_signed(T) type;
};
template <class T> using make_unsigned_t = __make_unsigned(T);
template <class T> using make_signed_t = __make_signed(T);
template <class T> struct underlying_type {
    typedef __underlying_type(T) type;
};
template <class T> struct is_integral : bool_constant<__is_integral(T)> {};
template <class T> struct is_floating_point : bool_constant<__is_floating_point(T)> {};
template <class T> struct is_arithmetic : bool_constant<__is_arithmetic(T)> {};
template <class T> struct is_signed : bool_constant<__is_signed(T)> {};
template <class T> struct is_unsigned : bool_constant<__is_unsigned(T)> {};
template <class T> struct is_pointer : bool_constant<__is_pointer(T)> {};
template <class T> struct is_enum : bool_constant<__is_enum(T)> {};
template <class T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class B, class D> struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <class F, class T> struct is_convertible : bool_constant<__is_convertible(F, T)> {};
template <class T, class U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <class T> inline constexpr bool is_integral_v = __is_integral(T);
template <class T> inline constexpr bool is_floating_point_v = __is_floating_point(T);
template <class T> inline constexpr bool is_arithmetic_v = __is_arithmetic(T);
template <class T> inline constexpr bool is_signed_v = __is_signed(T);
template <class T> inline constexpr bool is_unsigned_v = __is_unsigned(T);
template <class T> inline constexpr bool is_pointer_v = __is_pointer(T);

template <size_t... i> struct index_sequence {};
template <class T, T... i> struct integer_sequence {};
template <class T, T... i> struct gpucal_indices {
    typedef index_sequence<i...> type;
};
template <size_t n> using make_index_sequence = typename __make_integer_seq<gpucal_indices, size_t, n>::type;

template <class T> constexpr remove_reference_t<T> &&move(T &&v) { return static_cast<remove_reference_t<T> &&>(v); }
template <class T> constexpr T &&forward(remove_reference_t<T> &v) { return static_cast<T &&>(v); }
template <class T> constexpr T &&forward(remove_reference_t<T> &&v) { return static_cast<T &&>(v); }
template <class T> T &&declval() noexcept;
template <class T> GPUCAL_INLINE void swap(T &a, T &b)
{
    T c = a;
    a = b;
    b = c;
}

template <class T> struct numeric_limits {
    static constexpr bool is_specialized = false;
};
#define GPUCAL_LIMITS(type, low, high)                                                                        \
    template <> struct numeric_limits<type> {                                                                 \
        static constexpr bool is_specialized = true, is_integer = true, is_signed = (type)-1 < (type)0;       \
        static constexpr int digits = 8 * sizeof(type) - is_signed;                                           \
        static constexpr type min() { return low; }                                                           \
        static constexpr type max() { return high; }                                                          \
        static constexpr type lowest() { return low; }                                                        \
    };
GPUCAL_LIMITS(bool, false, true)
GPUCAL_LIMITS(char, CHAR_MIN, CHAR_MAX)
GPUCAL_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX)
GPUCAL_LIMITS(unsigned char, 0, UCHAR_MAX)
GPUCAL_LIMITS(short, SHRT_MIN, SHRT_MAX)
GPUCAL_LIMITS(unsigned short, 0, USHRT_MAX)
GPUCAL_LIMITS(int, INT_MIN, INT_MAX)
GPUCAL_LIMITS(unsigned, 0, UINT_MAX)
GPUCAL_LIMITS(long, LONG_MIN, LONG_MAX)
GPUCAL_LIMITS(unsigned long, 0, ULONG_MAX)
GPUCAL_LIMITS(long long, LLONG_MIN, LLONG_MAX)
GPUCAL_LIMITS(unsigned long long, 0, ULLONG_MAX)
#define GPUCAL_FLOAT_LIMITS(type, name, huge)                                                                 \
    template <> struct numeric_limits<type> {                                                                 \
        static constexpr bool is_specialized = true, is_integer = false, is_signed = true;                    \
        static constexpr bool has_infinity = true, has_quiet_NaN = true;                                      \
        static constexpr int digits = name##_MANT_DIG, digits10 = name##_DIG;                                 \
        static constexpr type min() { return name##_MIN; }                                                    \
        static constexpr type max() { return name##_MAX; }                                                    \
        static constexpr type lowest() { return -name##_MAX; }                                                \
        static constexpr type epsilon() { return name##_EPSILON; }                                            \
        static constexpr type infinity() { return huge; }                                                     \
        static constexpr type quiet_NaN() { return __builtin_nanf(""); }                                      \
    };
GPUCAL_FLOAT_LIMITS(float, FLT, __builtin_huge_valf())
GPUCAL_FLOAT_LIMITS(double, DBL, __builtin_huge_val())

template <class A, class B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
    pair() = default;
    GPUCAL_BOTH constexpr pair(const A &a, const B &b) : first(a), second(b) {}
};
template <class A, class B> GPUCAL_INLINE pair<A, B> make_pair(A a, B b) { return pair<A, B>(a, b); }
template <class T, size_t n> struct array {
    typedef T value_type;
    T items[n];
    constexpr T &operator[](size_t i) { return items[i]; }
    constexpr const T &operator[](size_t i) const { return items[i]; }
    constexpr size_t size() const { return n; }
    constexpr T *data() { return items; }
    constexpr const T *data() const { return items; }
    constexpr T *begin() { return items; }
    constexpr const T *begin() const { return items; }
    constexpr T *end() { return items + n; }
    constexpr const T *end() const { return items + n; }
};
template <class T = void> struct plus {
    constexpr T operator()(const T &a, const T &b) const { return a + b; }
};
template <class T = void> struct minus {
    constexpr T operator()(const T &a, const T &b) const { return a - b; }
};
template <class T = void> struct multiplies {
    constexpr T operator()(const T &a, const T &b) const { return a * b; }
};
template <class T = void> struct less {
    constexpr bool operator()(const T &a, const T &b) const { return a < b; }
};
template <class T = void> struct greater {
    constexpr bool operator()(const T &a, const T &b) const { return a > b; }
};
}
#define GPUCAL_STD(...)                                                                                       \
    namespace std {                                                                                           \
    __VA_ARGS__                                                                                               \
    }
#else
#define GPUCAL_STD(...)
#endif

/* ---- OpenCL's functions that CUDA has under other names ---- */

#define GPUCAL_EACH_FLOAT(f) f(float) f(double)
#define GPUCAL_EACH_WIDE(f) f(int) f(unsigned) f(long) f(unsigned long) f(long long) f(unsigned long long)

namespace gpucal {
template <class T> GPUCAL_BOTH T sub_group_shuffle(T, unsigned);
template <class T> GPUCAL_BOTH T sub_group_shuffle_up(T, unsigned);
template <class T> GPUCAL_BOTH T sub_group_shuffle_down(T, unsigned);
template <class T> GPUCAL_BOTH T sub_group_shuffle_xor(T, unsigned);
template <class T> GPUCAL_BOTH unsigned sub_group_match(T);
GPUCAL_BOTH unsigned get_sub_group_local_id();
GPUCAL_BOTH unsigned sub_group_ballot(int);
GPUCAL_BOTH int sub_group_any(int);
GPUCAL_BOTH int sub_group_all(int);
template <class T> GPUCAL_BOTH T sub_group_reduce_add(T);
template <class T> GPUCAL_BOTH T sub_group_reduce_min(T);
template <class T> GPUCAL_BOTH T sub_group_reduce_max(T);
template <class T> GPUCAL_BOTH T sub_group_reduce_and(T);
template <class T> GPUCAL_BOTH T sub_group_reduce_or(T);
template <class T> GPUCAL_BOTH T sub_group_reduce_xor(T);
GPUCAL_BOTH int work_group_reduce_add(int);
GPUCAL_BOTH int work_group_any(int);
GPUCAL_BOTH int work_group_all(int);
GPUCAL_BOTH int ctz(int);
GPUCAL_BOTH long long ctz(long long);
GPUCAL_BOTH unsigned abs_diff(int, int);
GPUCAL_BOTH unsigned abs_diff(unsigned, unsigned);
GPUCAL_BOTH float clamp(float, float, float);
GPUCAL_BOTH unsigned rotate(unsigned, unsigned, int);
/* A barrier of all blocks. */
GPUCAL_BOTH void grid_barrier();
}

/* ---- mathematics ---- */

#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define INFINITY __builtin_huge_valf()
#define HUGE_VALF __builtin_huge_valf()
#define HUGE_VAL __builtin_huge_val()
#define NAN __builtin_nanf("")
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_PIO2_F 1.570796327f
#define CUDART_PIO4_F 0.785398163f
#define CUDART_2_OVER_PI_F 0.636619772f
#define CUDART_SQRT_HALF_F 0.707106781f
#define CUDART_SQRT_2PI_F 2.506628275f
#define CUDART_SQRT_2OPI_F 0.797884561f
#define CUDART_L2E_F 1.442695041f
#define CUDART_LN2_F 0.693147181f
#define CUDART_INF_F __builtin_huge_valf()
#define CUDART_INF __builtin_huge_val()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_NAN __builtin_nan("")
#define CUDART_MAX_NORMAL_F 3.402823466e38f
#define CUDART_MIN_DENORM_F 1.401298464e-45f
#define CUDART_ZERO_F 0.0f
#define CUDART_ONE_F 1.0f

/* Of integers: double, as in C++. */
template <class T> using gpucal_if_integer = std::enable_if_t<__is_integral(T), double>;

/* 'name' of float and double, 'name'f, and std::'name' */
#define GPUCAL_MATH1(name)                                                                                    \
    GPUCAL_BOTH float name(float);                                                                            \
    GPUCAL_BOTH double name(double);                                                                          \
    template <class T> GPUCAL_INLINE gpucal_if_integer<T> name(T x) { return name((double)x); }               \
    GPUCAL_IS(name) float name##f(float);                                                                     \
    GPUCAL_STD(using ::name; using ::name##f;)
#define GPUCAL_MATH2(name)                                                                                    \
    GPUCAL_BOTH float name(float, float);                                                                     \
    GPUCAL_BOTH double name(double, double);                                                                  \
    GPUCAL_INLINE double name(float x, double y) { return name((double)x, y); }                               \
    GPUCAL_INLINE double name(double x, float y) { return name(x, (double)y); }                               \
    template <class T, class U>                                                                               \
    GPUCAL_INLINE std::enable_if_t<__is_integral(T) || __is_integral(U), double> name(T x, U y)               \
    {                                                                                                         \
        return name((double)x, (double)y);                                                                    \
    }                                                                                                         \
    GPUCAL_IS(name) float name##f(float, float);                                                              \
    GPUCAL_STD(using ::name; using ::name##f;)
GPUCAL_MATH1(sqrt)
GPUCAL_MATH1(rsqrt)
GPUCAL_MATH1(exp)
GPUCAL_MATH1(log)
GPUCAL_MATH1(sin)
GPUCAL_MATH1(cos)
GPUCAL_MATH1(floor)
GPUCAL_MATH1(ceil)
GPUCAL_MATH1(fabs)
#ifndef GPUCAL_NO_SPECIAL
GPUCAL_MATH1(erfinv)
GPUCAL_MATH1(erfcinv)
GPUCAL_MATH1(erfcx)
GPUCAL_MATH1(normcdf)
GPUCAL_MATH1(normcdfinv)
GPUCAL_MATH1(j0)
GPUCAL_MATH1(j1)
GPUCAL_MATH1(y0)
GPUCAL_MATH1(y1)
GPUCAL_MATH1(cyl_bessel_i0)
GPUCAL_MATH1(cyl_bessel_i1)
#endif
GPUCAL_MATH2(pow)
GPUCAL_MATH2(fmin)
GPUCAL_MATH2(fmax)
#ifndef GPUCAL_NO_RARE
GPUCAL_MATH1(cbrt)
GPUCAL_MATH1(exp2)
GPUCAL_MATH1(exp10)
GPUCAL_MATH1(expm1)
GPUCAL_MATH1(log2)
GPUCAL_MATH1(log10)
GPUCAL_MATH1(log1p)
GPUCAL_MATH1(logb)
GPUCAL_MATH1(tan)
GPUCAL_MATH1(asin)
GPUCAL_MATH1(acos)
GPUCAL_MATH1(atan)
GPUCAL_MATH1(sinh)
GPUCAL_MATH1(cosh)
GPUCAL_MATH1(tanh)
GPUCAL_MATH1(asinh)
GPUCAL_MATH1(acosh)
GPUCAL_MATH1(atanh)
GPUCAL_MATH1(sinpi)
GPUCAL_MATH1(cospi)
GPUCAL_MATH1(erf)
GPUCAL_MATH1(erfc)
GPUCAL_MATH1(tgamma)
GPUCAL_MATH1(lgamma)
GPUCAL_MATH1(trunc)
GPUCAL_MATH1(round)
GPUCAL_MATH1(rint)
GPUCAL_MATH2(atan2)
GPUCAL_MATH2(fmod)
GPUCAL_MATH2(remainder)
GPUCAL_MATH2(hypot)
GPUCAL_MATH2(fdim)
GPUCAL_MATH2(copysign)
GPUCAL_MATH2(nextafter)
#endif

#define GPUCAL_MORE(t)                                                                                        \
    GPUCAL_BOTH t fma(t, t, t);                                                                               \
    GPUCAL_INLINE bool isnan(t x) { return x != x; }                                                          \
    GPUCAL_INLINE bool isinf(t x) { return fabs(x) == (t)__builtin_huge_valf(); }                             \
    GPUCAL_INLINE bool isfinite(t x) { return fabs(x) < (t)__builtin_huge_valf(); }                           \
    GPUCAL_IS(fabs) t abs(t);
GPUCAL_EACH_FLOAT(GPUCAL_MORE)
#ifndef GPUCAL_NO_RARE
#define GPUCAL_RARE(t)                                                                                        \
    GPUCAL_BOTH t ldexp(t, int);                                                                              \
    GPUCAL_BOTH int ilogb(t);                                                                                 \
    GPUCAL_BOTH t frexp(t, int *);                                                                            \
    GPUCAL_BOTH t modf(t, t *);                                                                               \
    GPUCAL_BOTH t remquo(t, t, int *);                                                                        \
    GPUCAL_IS(ldexp) t scalbn(t, int);                                                                        \
    GPUCAL_IS(rint) t nearbyint(t);                                                                           \
    GPUCAL_IS(convert_long_rte) long lrint(t);                                                                \
    GPUCAL_INLINE long lround(t x) { return (long)round(x); }                                                 \
    GPUCAL_IS(convert_long_rte) long long llrint(t);                                                          \
    GPUCAL_INLINE long long llround(t x) { return (long long)round(x); }                                      \
    GPUCAL_INLINE t rhypot(t x, t y) { return rsqrt(x * x + y * y); }                                         \
    GPUCAL_INLINE t norm3d(t x, t y, t z) { return sqrt(x * x + y * y + z * z); }                             \
    GPUCAL_INLINE t rnorm3d(t x, t y, t z) { return rsqrt(x * x + y * y + z * z); }                           \
    GPUCAL_INLINE t norm4d(t x, t y, t z, t w) { return sqrt(x * x + y * y + z * z + w * w); }                \
    GPUCAL_INLINE t rnorm4d(t x, t y, t z, t w) { return rsqrt(x * x + y * y + z * z + w * w); }              \
    GPUCAL_INLINE t rcbrt(t x) { return 1 / cbrt(x); }                                                        \
    GPUCAL_INLINE void sincos(t x, t *s, t *c)                                                                \
    {                                                                                                         \
        *s = sin(x);                                                                                          \
        *c = cos(x);                                                                                          \
    }                                                                                                         \
    GPUCAL_INLINE void sincospi(t x, t *s, t *c)                                                              \
    {                                                                                                         \
        *s = sinpi(x);                                                                                        \
        *c = cospi(x);                                                                                        \
    }                                                                                                         \
    GPUCAL_INLINE bool signbit(t x) { return x < 0; }
GPUCAL_EACH_FLOAT(GPUCAL_RARE)
GPUCAL_IS(ldexp) float ldexpf(float, int);
GPUCAL_IS(ldexp) float scalbnf(float, int);
GPUCAL_IS(ilogb) int ilogbf(float);
GPUCAL_IS(frexp) float frexpf(float, int *);
GPUCAL_IS(modf) float modff(float, float *);
GPUCAL_IS(rint) float nearbyintf(float);
GPUCAL_IS(convert_long_rte) long lrintf(float);
GPUCAL_IS(convert_long_rte) long long llrintf(float);
GPUCAL_INLINE long lroundf(float x) { return (long)round(x); }
GPUCAL_INLINE float rhypotf(float x, float y) { return rhypot(x, y); }
GPUCAL_INLINE float norm3df(float x, float y, float z) { return norm3d(x, y, z); }
GPUCAL_INLINE float rnorm3df(float x, float y, float z) { return rnorm3d(x, y, z); }
GPUCAL_INLINE float norm4df(float x, float y, float z, float w) { return norm4d(x, y, z, w); }
GPUCAL_INLINE float rcbrtf(float x) { return rcbrt(x); }
GPUCAL_INLINE void sincosf(float x, float *s, float *c) { sincos(x, s, c); }
GPUCAL_INLINE void sincospif(float x, float *s, float *c) { sincospi(x, s, c); }
#endif
GPUCAL_IS(fma) float fmaf(float, float, float);
GPUCAL_INLINE double fma(double x, double y, int z) { return fma(x, y, (double)z); }
GPUCAL_INLINE float fdividef(float x, float y) { return x / y; }

/* Integers: CUDA's mixtures of signs and widths included. */
#define GPUCAL_ORDER(t)                                                                                       \
    GPUCAL_BOTH t min(t, t);                                                                                  \
    GPUCAL_BOTH t max(t, t);
GPUCAL_EACH_WIDE(GPUCAL_ORDER)
#define GPUCAL_ORDER_FLOAT(t)                                                                                 \
    GPUCAL_IS(fmin) t min(t, t);                                                                              \
    GPUCAL_IS(fmax) t max(t, t);
GPUCAL_EACH_FLOAT(GPUCAL_ORDER_FLOAT)
#define GPUCAL_ORDER_MIXED(t, u, result)                                                                      \
    GPUCAL_INLINE result min(t x, u y) { return min((result)x, (result)y); }                                  \
    GPUCAL_INLINE result max(t x, u y) { return max((result)x, (result)y); }                                  \
    GPUCAL_INLINE result min(u x, t y) { return min((result)x, (result)y); }                                  \
    GPUCAL_INLINE result max(u x, t y) { return max((result)x, (result)y); }
GPUCAL_ORDER_MIXED(int, unsigned, unsigned)
GPUCAL_ORDER_MIXED(long, unsigned long, unsigned long)
GPUCAL_ORDER_MIXED(long long, unsigned long long, unsigned long long)
GPUCAL_ORDER_MIXED(float, double, double)
GPUCAL_BOTH int abs(int);
GPUCAL_BOTH long abs(long);
GPUCAL_BOTH long long abs(long long);
GPUCAL_IS(abs) long labs(long);
GPUCAL_IS(abs) long long llabs(long long);
GPUCAL_IS(min) unsigned umin(unsigned, unsigned);
GPUCAL_IS(max) unsigned umax(unsigned, unsigned);
GPUCAL_IS(min) long long llmin(long long, long long);
GPUCAL_IS(max) long long llmax(long long, long long);

#ifndef GPUCAL_NO_STD
namespace std {
using ::abs;
using ::fma;
using ::fmaf;
using ::isfinite;
using ::isinf;
using ::isnan;
#ifndef GPUCAL_NO_RARE
using ::frexp;
using ::ilogb;
using ::ldexp;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::remquo;
using ::scalbn;
using ::signbit;
#endif
template <class T> GPUCAL_INLINE constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> GPUCAL_INLINE constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> GPUCAL_INLINE constexpr const T &clamp(const T &v, const T &low, const T &high)
{
    return v < low ? low : high < v ? high : v;
}
#define GPUCAL_STD_ORDER(t)                                                                                   \
    GPUCAL_IS(min) t min(t, t);                                                                               \
    GPUCAL_IS(max) t max(t, t);
#define GPUCAL_STD_ORDER_FLOAT(t)                                                                             \
    GPUCAL_IS(fmin) t min(t, t);                                                                              \
    GPUCAL_IS(fmax) t max(t, t);
GPUCAL_EACH_WIDE(GPUCAL_STD_ORDER)
GPUCAL_EACH_FLOAT(GPUCAL_STD_ORDER_FLOAT)
}
#endif

/* Functions that say how they round cost what those do that do not. */
#ifndef GPUCAL_NO_ROUNDED
#define GPUCAL_ROUNDED(suffix, cl)                                                                            \
    GPUCAL_INLINE float __fadd_##suffix(float x, float y) { return x + y; }                                   \
    GPUCAL_INLINE float __fsub_##suffix(float x, float y) { return x - y; }                                   \
    GPUCAL_INLINE float __fmul_##suffix(float x, float y) { return x * y; }                                   \
    GPUCAL_INLINE float __fdiv_##suffix(float x, float y) { return x / y; }                                   \
    GPUCAL_INLINE float __frcp_##suffix(float x) { return 1 / x; }                                            \
    GPUCAL_INLINE double __dadd_##suffix(double x, double y) { return x + y; }                                \
    GPUCAL_INLINE double __dsub_##suffix(double x, double y) { return x - y; }                                \
    GPUCAL_INLINE double __dmul_##suffix(double x, double y) { return x * y; }                                \
    GPUCAL_INLINE double __ddiv_##suffix(double x, double y) { return x / y; }                                \
    GPUCAL_INLINE double __drcp_##suffix(double x) { return 1 / x; }                                          \
    GPUCAL_IS(sqrt) float __fsqrt_##suffix(float);                                                            \
    GPUCAL_IS(sqrt) double __dsqrt_##suffix(double);                                                          \
    GPUCAL_IS(fma) float __fmaf_##suffix(float, float, float);                                                \
    GPUCAL_IS(fma) double __fma_##suffix(double, double, double);                                             \
    GPUCAL_IS(convert_int_##cl) int __float2int_##suffix(float);                                              \
    GPUCAL_IS(convert_float_##cl) float __int2float_##suffix(int);                                            \
    GPUCAL_IS(convert_uint_##cl) unsigned __float2uint_##suffix(float);                                       \
    GPUCAL_IS(convert_float_##cl) float __uint2float_##suffix(unsigned);                                      \
    GPUCAL_IS(convert_long_##cl) long long __float2ll_##suffix(float);                                        \
    GPUCAL_IS(convert_float_##cl) float __ll2float_##suffix(long long);                                       \
    GPUCAL_IS(convert_ulong_##cl) unsigned long long __float2ull_##suffix(float);                             \
    GPUCAL_IS(convert_float_##cl) float __ull2float_##suffix(unsigned long long);                             \
    GPUCAL_IS(convert_int_##cl) int __double2int_##suffix(double);                                            \
    GPUCAL_IS(convert_double_##cl) double __int2double_##suffix(int);                                         \
    GPUCAL_IS(convert_uint_##cl) unsigned __double2uint_##suffix(double);                                     \
    GPUCAL_IS(convert_double_##cl) double __uint2double_##suffix(unsigned);                                   \
    GPUCAL_IS(convert_long_##cl) long long __double2ll_##suffix(double);                                      \
    GPUCAL_IS(convert_double_##cl) double __ll2double_##suffix(long long);                                    \
    GPUCAL_IS(convert_ulong_##cl) unsigned long long __double2ull_##suffix(double);                           \
    GPUCAL_IS(convert_double_##cl) double __ull2double_##suffix(unsigned long long);                          \
    GPUCAL_IS(convert_float_##cl) float __double2float_##suffix(double);
GPUCAL_ROUNDED(rn, rte)
GPUCAL_ROUNDED(rz, rtz)
GPUCAL_ROUNDED(ru, rtp)
GPUCAL_ROUNDED(rd, rtn)
GPUCAL_IS(rsqrt) float __frsqrt_rn(float);
#endif

GPUCAL_IS(native_sin) float __sinf(float);
GPUCAL_IS(native_cos) float __cosf(float);
GPUCAL_IS(native_tan) float __tanf(float);
GPUCAL_IS(native_exp) float __expf(float);
GPUCAL_IS(native_exp10) float __exp10f(float);
GPUCAL_IS(native_log) float __logf(float);
GPUCAL_IS(native_log2) float __log2f(float);
GPUCAL_IS(native_log10) float __log10f(float);
GPUCAL_IS(native_powr) float __powf(float, float);
GPUCAL_IS(native_divide) float __fdividef(float, float);
GPUCAL_IS(tanh) float __tanhf(float);
GPUCAL_INLINE float __saturatef(float x) { return gpucal::clamp(x, 0.0f, 1.0f); }
GPUCAL_INLINE void __sincosf(float x, float *s, float *c)
{
    *s = __sinf(x);
    *c = __cosf(x);
}

GPUCAL_IS(as_int) int __float_as_int(float);
GPUCAL_IS(as_uint) unsigned __float_as_uint(float);
GPUCAL_IS(as_float) float __int_as_float(int);
GPUCAL_IS(as_float) float __uint_as_float(unsigned);
GPUCAL_IS(as_long) long long __double_as_longlong(double);
GPUCAL_IS(as_double) double __longlong_as_double(long long);
GPUCAL_INLINE int __double2loint(double x) { return (int)__double_as_longlong(x); }
GPUCAL_INLINE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
GPUCAL_INLINE double __hiloint2double(int high, int low)
{
    return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

/* ---- integers ---- */

GPUCAL_IS(mul24) int __mul24(int, int);
GPUCAL_IS(mul24) unsigned __umul24(unsigned, unsigned);
GPUCAL_IS(mul_hi) int __mulhi(int, int);
GPUCAL_IS(mul_hi) unsigned __umulhi(unsigned, unsigned);
GPUCAL_IS(mul_hi) long long __mul64hi(long long, long long);
GPUCAL_IS(mul_hi) unsigned long long __umul64hi(unsigned long long, unsigned long long);
GPUCAL_IS(popcount) int __popc(unsigned);
GPUCAL_IS(popcount) int __popcll(unsigned long long);
GPUCAL_IS(clz) int __clz(int);
GPUCAL_IS(clz) int __clzll(long long);
GPUCAL_INLINE int __ffs(int x) { return x ? gpucal::ctz(x) + 1 : 0; }
GPUCAL_INLINE int __ffsll(long long x) { return x ? (int)gpucal::ctz(x) + 1 : 0; }
GPUCAL_IS(bit_reverse) unsigned __brev(unsigned);
GPUCAL_IS(bit_reverse) unsigned long long __brevll(unsigned long long);
GPUCAL_IS(hadd) int __hadd(int, int);
GPUCAL_IS(rhadd) int __rhadd(int, int);
GPUCAL_IS(hadd) unsigned __uhadd(unsigned, unsigned);
GPUCAL_IS(rhadd) unsigned __urhadd(unsigned, unsigned);
GPUCAL_INLINE unsigned __sad(int x, int y, unsigned z) { return gpucal::abs_diff(x, y) + z; }
GPUCAL_INLINE unsigned __usad(unsigned x, unsigned y, unsigned z) { return gpucal::abs_diff(x, y) + z; }
/* One instruction: a rotation of two words, to the right by a negative number. */
#define __funnelshift_l(low, high, n) gpucal::rotate(low, high, (int)(n))
#define __funnelshift_r(low, high, n) gpucal::rotate(low, high, ~(int)(n))
GPUCAL_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned n)
{
    return (unsigned)(((unsigned long long)high << 32 | low) << min(n, 32u) >> 32);
}
GPUCAL_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned n)
{
    return (unsigned)(((unsigned long long)high << 32 | low) >> min(n, 32u));
}
GPUCAL_INLINE float nanf(const char *) { return NAN; }
GPUCAL_INLINE double nan(const char *) { return NAN; }
GPUCAL_BOTH unsigned __byte_perm(unsigned, unsigned, unsigned);
#ifndef GPUCAL_NO_SIMD
/* One instruction each. */
GPUCAL_BOTH int __dp4a(int, int, int);
GPUCAL_BOTH unsigned __dp4a(unsigned, unsigned, unsigned);
GPUCAL_BOTH int __dp2a_lo(int, int, int);
GPUCAL_BOTH int __dp2a_hi(int, int, int);
GPUCAL_BOTH unsigned __dp2a_lo(unsigned, unsigned, unsigned);
GPUCAL_BOTH unsigned __dp2a_hi(unsigned, unsigned, unsigned);
#define GPUCAL_SIMD1(name) GPUCAL_BOTH unsigned __v##name##2(unsigned), __v##name##4(unsigned);
GPUCAL_SIMD1(abs)
GPUCAL_SIMD1(neg)
#define GPUCAL_SIMD2(name) GPUCAL_BOTH unsigned __v##name##2(unsigned, unsigned), __v##name##4(unsigned, unsigned);
GPUCAL_SIMD2(add)
GPUCAL_SIMD2(sub)
GPUCAL_SIMD2(addus)
GPUCAL_SIMD2(subus)
GPUCAL_SIMD2(addss)
GPUCAL_SIMD2(subss)
GPUCAL_SIMD2(maxs)
GPUCAL_SIMD2(maxu)
GPUCAL_SIMD2(mins)
GPUCAL_SIMD2(minu)
GPUCAL_SIMD2(absdiffs)
GPUCAL_SIMD2(absdiffu)
GPUCAL_SIMD2(avgu)
GPUCAL_SIMD2(sadu)
GPUCAL_SIMD2(sads)
GPUCAL_SIMD2(cmpeq)
GPUCAL_SIMD2(cmpne)
GPUCAL_SIMD2(cmpgts)
GPUCAL_SIMD2(cmpgtu)
GPUCAL_SIMD2(cmpltu)
GPUCAL_SIMD2(seteq)
GPUCAL_SIMD2(setgtu)
GPUCAL_BOTH unsigned __viaddmax_s32(int, int, int);
GPUCAL_BOTH int __vimax3_s32(int, int, int);
GPUCAL_BOTH int __vimin3_s32(int, int, int);
#endif

/* ---- work-groups and warps ---- */

GPUCAL_DEVICE __attribute__((annotate("barrier"))) void __syncthreads();
GPUCAL_IS(sub_group_barrier) void __syncwarp(unsigned mask = 0xffffffff);
GPUCAL_INLINE void cudaGridDependencySynchronize() {}
GPUCAL_INLINE void cudaTriggerProgrammaticLaunchCompletion() {}
GPUCAL_IS(mem_fence) void __threadfence();
GPUCAL_IS(mem_fence) void __threadfence_block();
GPUCAL_IS(mem_fence) void __threadfence_system();
GPUCAL_DEVICE inline int __syncthreads_count(int p)
{
    __syncthreads();
    return gpucal::work_group_reduce_add(p ? 1 : 0);
}
GPUCAL_DEVICE inline int __syncthreads_and(int p)
{
    __syncthreads();
    return gpucal::work_group_all(p);
}
GPUCAL_DEVICE inline int __syncthreads_or(int p)
{
    __syncthreads();
    return gpucal::work_group_any(p);
}

template <class T> GPUCAL_DEVICE inline T __shfl(T v, int lane, int = 32)
{
    return gpucal::sub_group_shuffle(v, (unsigned)lane);
}
template <class T> GPUCAL_DEVICE inline T __shfl_up(T v, unsigned n, int = 32)
{
    return gpucal::sub_group_shuffle_up(v, n);
}
template <class T> GPUCAL_DEVICE inline T __shfl_down(T v, unsigned n, int = 32)
{
    return gpucal::sub_group_shuffle_down(v, n);
}
template <class T> GPUCAL_DEVICE inline T __shfl_xor(T v, int mask, int = 32)
{
    return gpucal::sub_group_shuffle_xor(v, (unsigned)mask);
}
template <class T> GPUCAL_DEVICE inline T __shfl_sync(unsigned long long, T v, int lane, int = 32)
{
    return gpucal::sub_group_shuffle(v, (unsigned)lane);
}
template <class T> GPUCAL_DEVICE inline T __shfl_up_sync(unsigned long long, T v, unsigned n, int = 32)
{
    return gpucal::sub_group_shuffle_up(v, n);
}
template <class T> GPUCAL_DEVICE inline T __shfl_down_sync(unsigned long long, T v, unsigned n, int = 32)
{
    return gpucal::sub_group_shuffle_down(v, n);
}
template <class T> GPUCAL_DEVICE inline T __shfl_xor_sync(unsigned long long, T v, int mask, int = 32)
{
    return gpucal::sub_group_shuffle_xor(v, (unsigned)mask);
}
#ifdef GPUCAL_HIP
typedef unsigned long long gpucal_lanes;
#else
typedef unsigned gpucal_lanes;
#endif
GPUCAL_DEVICE inline gpucal_lanes __ballot(int p) { return gpucal::sub_group_ballot(p); }
GPUCAL_DEVICE inline int __any(int p) { return gpucal::sub_group_any(p); }
GPUCAL_DEVICE inline int __all(int p) { return gpucal::sub_group_all(p); }
GPUCAL_DEVICE inline gpucal_lanes __ballot_sync(unsigned long long, int p) { return gpucal::sub_group_ballot(p); }
GPUCAL_DEVICE inline int __any_sync(unsigned long long, int p) { return gpucal::sub_group_any(p); }
GPUCAL_DEVICE inline int __all_sync(unsigned long long, int p) { return gpucal::sub_group_all(p); }
GPUCAL_DEVICE inline int __uni_sync(unsigned long long, int p) { return gpucal::sub_group_all(p); }
GPUCAL_DEVICE inline gpucal_lanes __activemask() { return gpucal::sub_group_ballot(1); }
template <class T> GPUCAL_DEVICE inline gpucal_lanes __match_any_sync(unsigned long long, T v)
{
    return gpucal::sub_group_match(v);
}
template <class T> GPUCAL_DEVICE inline gpucal_lanes __match_all_sync(unsigned long long, T v, int *p)
{
    *p = gpucal::sub_group_all(1);
    return gpucal::sub_group_match(v);
}
#define GPUCAL_WARP_REDUCE(name)                                                                              \
    template <class T> GPUCAL_DEVICE inline T __reduce_##name##_sync(unsigned, T v)                           \
    {                                                                                                         \
        return gpucal::sub_group_reduce_##name(v);                                                            \
    }
GPUCAL_WARP_REDUCE(add)
GPUCAL_WARP_REDUCE(min)
GPUCAL_WARP_REDUCE(max)
GPUCAL_WARP_REDUCE(and)
GPUCAL_WARP_REDUCE(or)
GPUCAL_WARP_REDUCE(xor)
GPUCAL_DEVICE inline unsigned __laneid() { return gpucal::get_sub_group_local_id(); }
GPUCAL_DEVICE inline unsigned __lane_id() { return gpucal::get_sub_group_local_id(); }

GPUCAL_DEVICE long long clock64();
GPUCAL_DEVICE long clock();
GPUCAL_DEVICE void __nanosleep(unsigned);
GPUCAL_DEVICE void __trap();
GPUCAL_DEVICE void __brkpt();
GPUCAL_DEVICE unsigned __isGlobal(const void *);
GPUCAL_DEVICE unsigned __isShared(const void *);
GPUCAL_DEVICE size_t __cvta_generic_to_shared(const void *);
GPUCAL_DEVICE size_t __cvta_generic_to_global(const void *);

extern "C" GPUCAL_BOTH int printf(const char *, ...);
extern "C" GPUCAL_BOTH void *memcpy(void *, const void *, size_t);
extern "C" GPUCAL_BOTH void *memset(void *, int, size_t);
extern "C" GPUCAL_BOTH void *malloc(size_t);
extern "C" GPUCAL_BOTH void free(void *);
#define assert(condition) ((void)(condition))

/* ---- memory ---- */

#define GPUCAL_LOAD(name)                                                                                     \
    template <class T> GPUCAL_DEVICE inline T name(const T *p) { return *p; }
GPUCAL_LOAD(__ldg)
GPUCAL_LOAD(__ldca)
GPUCAL_LOAD(__ldcs)
GPUCAL_LOAD(__ldlu)
/* Not served by the first-level cache. */
#define GPUCAL_LOAD_UNCACHED(name)                                                                            \
    template <class T> GPUCAL_DEVICE inline T name(const T *p) { return GPUCAL_TAG(uncached, *p); }
GPUCAL_LOAD_UNCACHED(__ldcg)
GPUCAL_LOAD_UNCACHED(__ldcv)
#define GPUCAL_STORE(name)                                                                                    \
    template <class T> GPUCAL_DEVICE inline void name(T *p, std::decay_t<T> v) { *p = v; }
GPUCAL_STORE(__stwb)
GPUCAL_STORE(__stcg)
GPUCAL_STORE(__stcs)
GPUCAL_STORE(__stwt)

#ifdef GPUCAL_NO_SCOPES
#define GPUCAL_ATOMIC(t, name, is) GPUCAL_IS(atomic_##is) t atomic##name(t *, t);
#define GPUCAL_ATOMIC_CAS(t) GPUCAL_IS(atomic_cmpxchg) t atomicCAS(t *, t, t);
#else
#define GPUCAL_ATOMIC(t, name, is)                                                                            \
    GPUCAL_IS(atomic_##is) t atomic##name(t *, t);                                                            \
    GPUCAL_IS(atomic_##is) t atomic##name##_block(t *, t);                                                    \
    GPUCAL_IS(atomic_##is) t atomic##name##_system(t *, t);
#define GPUCAL_ATOMIC_CAS(t)                                                                                  \
    GPUCAL_IS(atomic_cmpxchg) t atomicCAS(t *, t, t);                                                         \
    GPUCAL_IS(atomic_cmpxchg) t atomicCAS_block(t *, t, t);                                                   \
    GPUCAL_IS(atomic_cmpxchg) t atomicCAS_system(t *, t, t);
#endif
#define GPUCAL_ATOMICS(t)                                                                                     \
    GPUCAL_ATOMIC(t, Add, add)                                                                                \
    GPUCAL_ATOMIC(t, Sub, sub)                                                                                \
    GPUCAL_ATOMIC(t, Exch, xchg)                                                                              \
    GPUCAL_ATOMIC(t, Min, min)                                                                                \
    GPUCAL_ATOMIC(t, Max, max)                                                                                \
    GPUCAL_ATOMIC(t, And, and)                                                                                \
    GPUCAL_ATOMIC(t, Or, or)                                                                                  \
    GPUCAL_ATOMIC(t, Xor, xor)                                                                                \
    GPUCAL_ATOMIC_CAS(t)
GPUCAL_ATOMICS(int)
GPUCAL_ATOMICS(unsigned)
GPUCAL_ATOMICS(long long)
GPUCAL_ATOMICS(unsigned long long)
GPUCAL_ATOMIC(unsigned, Inc, inc)
GPUCAL_ATOMIC(unsigned, Dec, dec)
GPUCAL_ATOMIC(float, Add, add)
GPUCAL_ATOMIC(float, Exch, xchg)
GPUCAL_ATOMIC(double, Add, add)
GPUCAL_ATOMIC_CAS(unsigned short)
#ifdef GPUCAL_HIP
GPUCAL_ATOMICS(long)
GPUCAL_ATOMICS(unsigned long)
GPUCAL_ATOMIC(float, Sub, sub)
GPUCAL_ATOMIC(double, Sub, sub)
GPUCAL_ATOMIC(double, Exch, xchg)
GPUCAL_ATOMIC(float, Min, min)
GPUCAL_ATOMIC(float, Max, max)
GPUCAL_ATOMIC(double, Min, min)
GPUCAL_ATOMIC(double, Max, max)
#endif

/* clang has those of HIP as built-in functions. */
enum { __NV_ATOMIC_RELAXED, __NV_ATOMIC_CONSUME, __NV_ATOMIC_ACQUIRE, __NV_ATOMIC_RELEASE, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_SEQ_CST };
enum { __NV_THREAD_SCOPE_THREAD, __NV_THREAD_SCOPE_BLOCK, __NV_THREAD_SCOPE_CLUSTER, __NV_THREAD_SCOPE_DEVICE, __NV_THREAD_SCOPE_SYSTEM };
#define __nv_atomic_load_n(p, ...) (*(p))
#define __nv_atomic_store_n(p, v, ...) (*(p) = (v))
#define __nv_atomic_fetch_add(p, v, ...) atomicAdd(p, v)
#define __nv_atomic_fetch_sub(p, v, ...) atomicSub(p, v)
#define __nv_atomic_fetch_min(p, v, ...) atomicMin(p, v)
#define __nv_atomic_fetch_max(p, v, ...) atomicMax(p, v)
#define __nv_atomic_fetch_and(p, v, ...) atomicAnd(p, v)
#define __nv_atomic_fetch_or(p, v, ...) atomicOr(p, v)
#define __nv_atomic_fetch_xor(p, v, ...) atomicXor(p, v)
#define __nv_atomic_exchange_n(p, v, ...) atomicExch(p, v)
#define __hip_atomic_load(p, ...) (*(p))
#define __hip_atomic_store(p, v, ...) (*(p) = (v))
#define __hip_atomic_fetch_add(p, v, ...) atomicAdd(p, v)
#define __hip_atomic_fetch_min(p, v, ...) atomicMin(p, v)
#define __hip_atomic_fetch_max(p, v, ...) atomicMax(p, v)
#define __hip_atomic_fetch_and(p, v, ...) atomicAnd(p, v)
#define __hip_atomic_fetch_or(p, v, ...) atomicOr(p, v)
#define __hip_atomic_fetch_xor(p, v, ...) atomicXor(p, v)
#define __hip_atomic_exchange(p, v, ...) atomicExch(p, v)

/* ---- half, bfloat16, fp8 ---- */

#ifndef GPUCAL_NO_HALF
typedef _Float16 half;
typedef _Float16 __half;
typedef __bf16 __nv_bfloat16;
typedef __bf16 nv_bfloat16;
struct GPUCAL_IS_VECTOR(4) __half2 {
    half x, y;
    __half2() = default;
    GPUCAL_BOTH constexpr __half2(half x, half y) : x(x), y(y) {}
};
struct GPUCAL_IS_VECTOR(4) __nv_bfloat162 {
    __bf16 x, y;
    __nv_bfloat162() = default;
    GPUCAL_BOTH constexpr __nv_bfloat162(__bf16 x, __bf16 y) : x(x), y(y) {}
};
typedef __half2 half2;
typedef __nv_bfloat162 nv_bfloat162;
struct __half_raw {
    unsigned short x;
};
GPUCAL_ATOMIC(half, Add, add)
GPUCAL_ATOMIC(__bf16, Add, add)
GPUCAL_ATOMIC(half2, Add, add)
GPUCAL_ATOMIC(__nv_bfloat162, Add, add)

#define GPUCAL_SMALL_FLOAT(t, t2)                                                                             \
    GPUCAL_INLINE t __hadd(t a, t b) { return a + b; }                                                        \
    GPUCAL_INLINE t __hsub(t a, t b) { return a - b; }                                                        \
    GPUCAL_INLINE t __hmul(t a, t b) { return a * b; }                                                        \
    GPUCAL_INLINE t __hdiv(t a, t b) { return a / b; }                                                        \
    GPUCAL_INLINE t __hadd_rn(t a, t b) { return a + b; }                                                     \
    GPUCAL_INLINE t __hsub_rn(t a, t b) { return a - b; }                                                     \
    GPUCAL_INLINE t __hmul_rn(t a, t b) { return a * b; }                                                     \
    GPUCAL_INLINE t __hneg(t a) { return -a; }                                                                \
    GPUCAL_BOTH t fma(t, t, t);                                                                               \
    GPUCAL_BOTH t fmin(t, t);                                                                                 \
    GPUCAL_BOTH t fmax(t, t);                                                                                 \
    GPUCAL_BOTH t fabs(t);                                                                                    \
    GPUCAL_BOTH t exp(t);                                                                                     \
    GPUCAL_BOTH t exp2(t);                                                                                    \
    GPUCAL_BOTH t exp10(t);                                                                                   \
    GPUCAL_BOTH t log(t);                                                                                     \
    GPUCAL_BOTH t log2(t);                                                                                    \
    GPUCAL_BOTH t log10(t);                                                                                   \
    GPUCAL_BOTH t sqrt(t);                                                                                    \
    GPUCAL_BOTH t rsqrt(t);                                                                                   \
    GPUCAL_BOTH t sin(t);                                                                                     \
    GPUCAL_BOTH t cos(t);                                                                                     \
    GPUCAL_BOTH t tanh(t);                                                                                    \
    GPUCAL_BOTH t floor(t);                                                                                   \
    GPUCAL_BOTH t ceil(t);                                                                                    \
    GPUCAL_BOTH t rint(t);                                                                                    \
    GPUCAL_BOTH t trunc(t);                                                                                   \
    GPUCAL_IS(fma) t __hfma(t, t, t);                                                                         \
    GPUCAL_INLINE t __hfma_relu(t a, t b, t c) { return fmax(fma(a, b, c), (t)0); }                           \
    GPUCAL_IS(fmin) t __hmin(t, t);                                                                           \
    GPUCAL_IS(fmax) t __hmax(t, t);                                                                           \
    GPUCAL_IS(fabs) t __habs(t);                                                                              \
    GPUCAL_IS(exp) t hexp(t);                                                                                 \
    GPUCAL_IS(exp2) t hexp2(t);                                                                               \
    GPUCAL_IS(exp10) t hexp10(t);                                                                             \
    GPUCAL_IS(log) t hlog(t);                                                                                 \
    GPUCAL_IS(log2) t hlog2(t);                                                                               \
    GPUCAL_IS(log10) t hlog10(t);                                                                             \
    GPUCAL_IS(sqrt) t hsqrt(t);                                                                               \
    GPUCAL_IS(rsqrt) t hrsqrt(t);                                                                             \
    GPUCAL_INLINE t hrcp(t a) { return (t)1 / a; }                                                            \
    GPUCAL_IS(sin) t hsin(t);                                                                                 \
    GPUCAL_IS(cos) t hcos(t);                                                                                 \
    GPUCAL_IS(tanh) t htanh(t);                                                                               \
    GPUCAL_IS(floor) t hfloor(t);                                                                             \
    GPUCAL_IS(ceil) t hceil(t);                                                                               \
    GPUCAL_IS(rint) t hrint(t);                                                                               \
    GPUCAL_IS(trunc) t htrunc(t);                                                                             \
    GPUCAL_INLINE bool __heq(t a, t b) { return a == b; }                                                     \
    GPUCAL_INLINE bool __hne(t a, t b) { return a != b; }                                                     \
    GPUCAL_INLINE bool __hlt(t a, t b) { return a < b; }                                                      \
    GPUCAL_INLINE bool __hle(t a, t b) { return a <= b; }                                                     \
    GPUCAL_INLINE bool __hgt(t a, t b) { return a > b; }                                                      \
    GPUCAL_INLINE bool __hge(t a, t b) { return a >= b; }                                                     \
    GPUCAL_INLINE bool __hisnan(t a) { return a != a; }                                                       \
    GPUCAL_INLINE bool __hisinf(t a) { return fabs(a) == (t)__builtin_huge_valf(); }                          \
    GPUCAL_INLINE t2 __hadd2(t2 a, t2 b) { return t2(a.x + b.x, a.y + b.y); }                                 \
    GPUCAL_INLINE t2 __hsub2(t2 a, t2 b) { return t2(a.x - b.x, a.y - b.y); }                                 \
    GPUCAL_INLINE t2 __hmul2(t2 a, t2 b) { return t2(a.x * b.x, a.y * b.y); }                                 \
    GPUCAL_INLINE t2 __h2div(t2 a, t2 b) { return t2(a.x / b.x, a.y / b.y); }                                 \
    GPUCAL_INLINE t2 __hneg2(t2 a) { return t2(-a.x, -a.y); }                                                 \
    GPUCAL_INLINE t2 __habs2(t2 a) { return t2(fabs(a.x), fabs(a.y)); }                                       \
    GPUCAL_INLINE t2 __hfma2(t2 a, t2 b, t2 c) { return t2(fma(a.x, b.x, c.x), fma(a.y, b.y, c.y)); }         \
    GPUCAL_INLINE t2 __hmin2(t2 a, t2 b) { return t2(fmin(a.x, b.x), fmin(a.y, b.y)); }                       \
    GPUCAL_INLINE t2 __hmax2(t2 a, t2 b) { return t2(fmax(a.x, b.x), fmax(a.y, b.y)); }                       \
    GPUCAL_INLINE t2 h2exp(t2 a) { return t2(exp(a.x), exp(a.y)); }                                           \
    GPUCAL_INLINE t2 h2exp2(t2 a) { return t2(exp2(a.x), exp2(a.y)); }                                        \
    GPUCAL_INLINE t2 h2log(t2 a) { return t2(log(a.x), log(a.y)); }                                           \
    GPUCAL_INLINE t2 h2sqrt(t2 a) { return t2(sqrt(a.x), sqrt(a.y)); }                                        \
    GPUCAL_INLINE t2 h2rsqrt(t2 a) { return t2(rsqrt(a.x), rsqrt(a.y)); }                                     \
    GPUCAL_INLINE t2 h2rcp(t2 a) { return t2((t)1 / a.x, (t)1 / a.y); }                                       \
    GPUCAL_INLINE t2 __hgt2(t2 a, t2 b) { return t2(a.x > b.x, a.y > b.y); }                                  \
    GPUCAL_INLINE t2 __hlt2(t2 a, t2 b) { return t2(a.x < b.x, a.y < b.y); }                                  \
    GPUCAL_INLINE t2 __heq2(t2 a, t2 b) { return t2(a.x == b.x, a.y == b.y); }                                \
    GPUCAL_INLINE t2 operator+(t2 a, t2 b) { return __hadd2(a, b); }                                          \
    GPUCAL_INLINE t2 operator-(t2 a, t2 b) { return __hsub2(a, b); }                                          \
    GPUCAL_INLINE t2 operator*(t2 a, t2 b) { return __hmul2(a, b); }                                          \
    GPUCAL_INLINE t2 operator/(t2 a, t2 b) { return __h2div(a, b); }                                          \
    GPUCAL_INLINE t2 operator-(t2 a) { return __hneg2(a); }                                                   \
    GPUCAL_INLINE t2 &operator+=(t2 &a, t2 b) { return a = __hadd2(a, b); }                                   \
    GPUCAL_INLINE t2 &operator-=(t2 &a, t2 b) { return a = __hsub2(a, b); }                                   \
    GPUCAL_INLINE t2 &operator*=(t2 &a, t2 b) { return a = __hmul2(a, b); }                                   \
    GPUCAL_INLINE bool operator==(t2 a, t2 b) { return a.x == b.x && a.y == b.y; }
GPUCAL_SMALL_FLOAT(half, half2)
GPUCAL_SMALL_FLOAT(__bf16, __nv_bfloat162)

#define GPUCAL_HALF_CONVERSIONS(t, t2, name)                                                                  \
    GPUCAL_INLINE t __float2##name(float x) { return (t)x; }                                                  \
    GPUCAL_INLINE t __float2##name##_rn(float x) { return (t)x; }                                             \
    GPUCAL_INLINE t __float2##name##_rz(float x) { return (t)x; }                                             \
    GPUCAL_INLINE t __float2##name##_ru(float x) { return (t)x; }                                             \
    GPUCAL_INLINE t __float2##name##_rd(float x) { return (t)x; }                                             \
    GPUCAL_INLINE t __double2##name(double x) { return (t)x; }                                                \
    GPUCAL_INLINE t __int2##name##_rn(int x) { return (t)x; }                                                 \
    GPUCAL_INLINE t __uint2##name##_rn(unsigned x) { return (t)x; }                                           \
    GPUCAL_INLINE t __short2##name##_rn(short x) { return (t)x; }                                             \
    GPUCAL_INLINE t __ushort2##name##_rn(unsigned short x) { return (t)x; }                                   \
    GPUCAL_INLINE float __##name##2float(t x) { return (float)x; }                                            \
    GPUCAL_INLINE int __##name##2int_rn(t x) { return (int)x; }                                               \
    GPUCAL_INLINE int __##name##2int_rz(t x) { return (int)x; }                                               \
    GPUCAL_INLINE int __##name##2int_rd(t x) { return (int)x; }                                               \
    GPUCAL_INLINE unsigned __##name##2uint_rn(t x) { return (unsigned)x; }                                    \
    GPUCAL_INLINE short __##name##2short_rn(t x) { return (short)x; }                                         \
    GPUCAL_INLINE t2 __##name##2##name##2(t x) { return t2(x, x); }                                           \
    GPUCAL_INLINE t2 __float2##name##2_rn(float x) { return t2((t)x, (t)x); }                                 \
    GPUCAL_INLINE t2 __floats2##name##2_rn(float x, float y) { return t2((t)x, (t)y); }                       \
    GPUCAL_INLINE t2 __float22##name##2_rn(float2 v) { return t2((t)v.x, (t)v.y); }                           \
    GPUCAL_INLINE float2 __##name##22float2(t2 v) { return { (float)v.x, (float)v.y }; }                      \
    GPUCAL_INLINE t2 __halves2##name##2(t x, t y) { return t2(x, y); }                                        \
    GPUCAL_INLINE t __low2##name(t2 v) { return v.x; }                                                        \
    GPUCAL_INLINE t __high2##name(t2 v) { return v.y; }                                                       \
    GPUCAL_INLINE float __low2float(t2 v) { return (float)v.x; }                                              \
    GPUCAL_INLINE float __high2float(t2 v) { return (float)v.y; }                                             \
    GPUCAL_INLINE t2 __low2##name##2(t2 v) { return t2(v.x, v.x); }                                           \
    GPUCAL_INLINE t2 __high2##name##2(t2 v) { return t2(v.y, v.y); }                                          \
    GPUCAL_INLINE t2 __lows2##name##2(t2 a, t2 b) { return t2(a.x, b.x); }                                    \
    GPUCAL_INLINE t2 __highs2##name##2(t2 a, t2 b) { return t2(a.y, b.y); }                                   \
    GPUCAL_INLINE t2 __lowhigh2highlow(t2 v) { return t2(v.y, v.x); }                                         \
    GPUCAL_IS(as_short) short __##name##_as_short(t);                                                         \
    GPUCAL_IS(as_ushort) unsigned short __##name##_as_ushort(t);
GPUCAL_HALF_CONVERSIONS(half, half2, half)
GPUCAL_HALF_CONVERSIONS(__bf16, __nv_bfloat162, bfloat16)
GPUCAL_IS(as_half) half __ushort_as_half(unsigned short);
GPUCAL_IS(as_half) half __short_as_half(short);
GPUCAL_IS(as_half) __bf16 __ushort_as_bfloat16(unsigned short);
GPUCAL_INLINE half2 make_half2(half x, half y) { return half2(x, y); }
GPUCAL_INLINE __nv_bfloat162 make_bfloat162(__bf16 x, __bf16 y) { return __nv_bfloat162(x, y); }

/* One instruction each way; to fp8 of two numbers, too. */
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;
GPUCAL_BOTH unsigned char __nv_cvt_to_e4m3(float);
GPUCAL_BOTH unsigned char __nv_cvt_to_e5m2(float);
GPUCAL_BOTH unsigned short __nv_cvt2_to_e4m3(float, float);
GPUCAL_BOTH unsigned short __nv_cvt2_to_e5m2(float, float);
GPUCAL_BOTH float __nv_cvt_to_float(const __nv_fp8_e4m3 &);
GPUCAL_BOTH float __nv_cvt_to_float(const __nv_fp8_e5m2 &);
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
#define GPUCAL_FP8(name)                                                                                      \
    struct __nv_fp8_##name {                                                                                  \
        __nv_fp8_storage_t __x;                                                                               \
        __nv_fp8_##name() = default;                                                                          \
        template <class T> explicit GPUCAL_BOTH __nv_fp8_##name(T v) : __x(__nv_cvt_to_##name((float)v)) {}   \
        GPUCAL_BOTH operator float() const { return __nv_cvt_to_float(*this); }                               \
    };                                                                                                        \
    GPUCAL_INLINE float gpucal_part_of_##name(unsigned bits)                                                  \
    {                                                                                                         \
        __nv_fp8_##name part;                                                                                 \
        part.__x = (__nv_fp8_storage_t)bits;                                                                  \
        return __nv_cvt_to_float(part);                                                                       \
    }                                                                                                         \
    struct __attribute__((aligned(2))) __nv_fp8x2_##name {                                                    \
        __nv_fp8x2_storage_t __x;                                                                             \
        __nv_fp8x2_##name() = default;                                                                        \
        explicit GPUCAL_BOTH __nv_fp8x2_##name(float2 v) : __x(__nv_cvt2_to_##name(v.x, v.y)) {}              \
        GPUCAL_BOTH operator float2() const                                                                   \
        {                                                                                                     \
            unsigned word = __x;                                                                              \
            return { gpucal_part_of_##name(word), gpucal_part_of_##name(word >> 8) };                         \
        }                                                                                                     \
    };                                                                                                        \
    struct __attribute__((aligned(4))) __nv_fp8x4_##name {                                                    \
        __nv_fp8x4_storage_t __x;                                                                             \
        __nv_fp8x4_##name() = default;                                                                        \
        explicit GPUCAL_BOTH __nv_fp8x4_##name(float4 v)                                                      \
            : __x(__nv_cvt2_to_##name(v.x, v.y) | (unsigned)__nv_cvt2_to_##name(v.z, v.w) << 16)              \
        {                                                                                                     \
        }                                                                                                     \
        GPUCAL_BOTH operator float4() const                                                                   \
        {                                                                                                     \
            unsigned word = __x;                                                                              \
            return { gpucal_part_of_##name(word), gpucal_part_of_##name(word >> 8),                           \
                     gpucal_part_of_##name(word >> 16), gpucal_part_of_##name(word >> 24) };                  \
        }                                                                                                     \
    };
GPUCAL_FP8(e4m3)
GPUCAL_FP8(e5m2)
#endif

/* ---- complex numbers ---- */

#ifndef GPUCAL_NO_COMPLEX
typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;
#define GPUCAL_COMPLEX(t, t2, f, suffix)                                                                      \
    GPUCAL_INLINE t2 make_cu##suffix(t x, t y) { return { x, y }; }                                           \
    GPUCAL_INLINE t cuCreal##f(t2 a) { return a.x; }                                                          \
    GPUCAL_INLINE t cuCimag##f(t2 a) { return a.y; }                                                          \
    GPUCAL_INLINE t2 cuConj##f(t2 a) { return { a.x, -a.y }; }                                                \
    GPUCAL_INLINE t2 cuCadd##f(t2 a, t2 b) { return { a.x + b.x, a.y + b.y }; }                               \
    GPUCAL_INLINE t2 cuCsub##f(t2 a, t2 b) { return { a.x - b.x, a.y - b.y }; }                               \
    GPUCAL_INLINE t2 cuCmul##f(t2 a, t2 b) { return { a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x }; }       \
    GPUCAL_INLINE t2 cuCfma##f(t2 a, t2 b, t2 c)                                                              \
    {                                                                                                         \
        return { a.x * b.x - a.y * b.y + c.x, a.x * b.y + a.y * b.x + c.y };                                  \
    }                                                                                                         \
    GPUCAL_INLINE t cuCabs##f(t2 a) { return hypot(a.x, a.y); }                                               \
    GPUCAL_INLINE t2 cuCdiv##f(t2 a, t2 b)                                                                    \
    {                                                                                                         \
        t s = 1 / (fabs(b.x) + fabs(b.y)), bx = b.x * s, by = b.y * s, ax = a.x * s, ay = a.y * s;            \
        t r = 1 / (bx * bx + by * by);                                                                        \
        return { (ax * bx + ay * by) * r, (ay * bx - ax * by) * r };                                          \
    }
GPUCAL_COMPLEX(float, float2, f, FloatComplex)
GPUCAL_COMPLEX(double, double2, , DoubleComplex)
GPUCAL_INLINE float2 make_cuComplex(float x, float y) { return { x, y }; }
#endif

/* ---- textures and surfaces ---- */

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum { cudaTextureType1D = 1, cudaTextureType2D = 2, cudaTextureType3D = 3 };
template <class T, int dims = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture {
    int normalized, filterMode, addressMode[3];
};
template <class T, int dims = 1> struct __attribute__((device_builtin_surface_type)) surface {};
#ifndef GPUCAL_NO_TEXTURES
#define GPUCAL_TEXTURE(name, ...)                                                                             \
    template <class T> GPUCAL_DEVICE T name(cudaTextureObject_t, __VA_ARGS__);                                \
    template <class T> GPUCAL_DEVICE void name(T *, cudaTextureObject_t, __VA_ARGS__);                        \
    template <class T, int dims, cudaTextureReadMode mode>                                                    \
    GPUCAL_DEVICE std::conditional_t<mode == cudaReadModeElementType, T, float> name(texture<T, dims, mode>, __VA_ARGS__);
GPUCAL_TEXTURE(tex1Dfetch, int)
GPUCAL_TEXTURE(tex1D, float)
GPUCAL_TEXTURE(tex2D, float, float)
GPUCAL_TEXTURE(tex3D, float, float, float)
GPUCAL_TEXTURE(tex1DLod, float, float)
GPUCAL_TEXTURE(tex2DLod, float, float, float)
GPUCAL_TEXTURE(tex3DLod, float, float, float, float)
GPUCAL_TEXTURE(tex1DLayered, float, int)
GPUCAL_TEXTURE(tex2DLayered, float, float, int)
GPUCAL_TEXTURE(texCubemap, float, float, float)
template <class T> GPUCAL_DEVICE T tex2Dgather(cudaTextureObject_t, float, float, int = 0);
#define GPUCAL_SURFACE(name, ...)                                                                             \
    template <class T>                                                                                        \
    GPUCAL_DEVICE T name##read(cudaSurfaceObject_t, __VA_ARGS__, cudaSurfaceBoundaryMode = cudaBoundaryModeTrap); \
    template <class T>                                                                                        \
    GPUCAL_DEVICE void name##read(T *, cudaSurfaceObject_t, __VA_ARGS__,                                      \
                                  cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);                            \
    template <class T>                                                                                        \
    GPUCAL_DEVICE void name##write(T, cudaSurfaceObject_t, __VA_ARGS__,                                       \
                                   cudaSurfaceBoundaryMode = cudaBoundaryModeTrap);
GPUCAL_SURFACE(surf1D, int)
GPUCAL_SURFACE(surf2D, int, int)
GPUCAL_SURFACE(surf3D, int, int, int)
GPUCAL_SURFACE(surf2DLayered, int, int, int)
#endif

/* ---- matrices of warps ---- */

#ifndef GPUCAL_NO_MATRICES
/* A factor's rows, or columns, are loaded as words of 4 bytes, eight rows of four at a time, and sums as pairs:
 * that is where the hardware has them.  Layouts of other elements transpose at no cost.
 */
namespace nvcuda {
namespace wmma {
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
namespace precision {
struct tf32;
}
enum layout_t { mem_row_major, mem_col_major };
template <class T> struct gpucal_element { using type = T; };
template <> struct gpucal_element<precision::tf32> { using type = float; };
template <class A> GPUCAL_IS(gpucal_mma_f16) A gpucal_mma(half *, int, A);
template <class A> GPUCAL_IS(gpucal_mma_bf16) A gpucal_mma(__bf16 *, int, A);
template <class A> GPUCAL_IS(gpucal_mma_tf32) A gpucal_mma(precision::tf32 *, int, A);
template <class A> GPUCAL_IS(gpucal_mma_f64) A gpucal_mma(double *, int, A);
template <class A> GPUCAL_IS(gpucal_mma_int8) A gpucal_mma(signed char *, int, A);
template <class A> GPUCAL_IS(gpucal_mma_int8) A gpucal_mma(unsigned char *, int, A);
template <class Use, int M, int N, int K> struct gpucal_shape;
template <int M, int N, int K> struct gpucal_shape<matrix_a, M, N, K> { enum { rows = M, columns = K }; };
template <int M, int N, int K> struct gpucal_shape<matrix_b, M, N, K> { enum { rows = K, columns = N }; };
template <int M, int N, int K> struct gpucal_shape<accumulator, M, N, K> { enum { rows = M, columns = N }; };
template <class Layout, int ROWS, int COLUMNS> struct gpucal_lines { enum { n = ROWS, length = COLUMNS }; };
template <int ROWS, int COLUMNS> struct gpucal_lines<col_major, ROWS, COLUMNS> { enum { n = COLUMNS, length = ROWS }; };
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
    using element_type = T;
    using storage_element_type = typename gpucal_element<T>::type;
    using shape = gpucal_shape<Use, M, N, K>;
    enum { num_elements = shape::rows * shape::columns / 32, num_storage_elements = num_elements };
    storage_element_type x[num_elements];
};
template <class Use, int M, int N, int K, class T, class L, class V>
GPUCAL_DEVICE inline void fill_fragment(fragment<Use, M, N, K, T, L> &f, const V &v)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = v;
}
template <class Use, int M, int N, int K, class T, class L>
GPUCAL_DEVICE inline void load_matrix_sync(fragment<Use, M, N, K, T, L> &, const typename gpucal_element<T>::type *p,
                                           unsigned ldm)
{
    using E = typename gpucal_element<T>::type;
    using W = std::conditional_t<sizeof(E) == 8, double, unsigned>;
    using lines = gpucal_lines<L, gpucal_shape<Use, M, N, K>::rows, gpucal_shape<Use, M, N, K>::columns>;
    constexpr int each = sizeof(W) / sizeof(E), high = lines::n < 8 ? lines::n : 8, wide = 32 / high;
    int lane = __lane_id();

#pragma unroll
    for (int r = 0; r < lines::n / high; r++)
#pragma unroll
        for (int c = 0; c < lines::length / (each * wide); c++)
            W word = *(const W *)&p[(r * high + lane / wide) * ldm + (c * wide + lane % wide) * each];
}
template <bool LOADS, class F, class E> GPUCAL_DEVICE inline void gpucal_sums(F &f, E *p, unsigned ldm, layout_t layout)
{
    struct GPUCAL_IS_VECTOR(2 * sizeof(E)) pair {
        E x, y;
    };
    int row = __lane_id() / 4, column = __lane_id() % 4 * 2, i = 0;

#pragma unroll
    for (int r = 0; r < F::shape::rows; r += 8)
#pragma unroll
        for (int c = 0; c < F::shape::columns; c += 8, i += 2) {
            if (layout == mem_row_major) {
                pair *at = (pair *)&p[(r + row) * ldm + c + column];
                if (LOADS)
                    pair loaded = *at;
                else
                    *at = pair{ f.x[i], f.x[i + 1] };
            } else if (LOADS) {
                f.x[i] = p[(c + column) * ldm + r + row];
                f.x[i + 1] = p[(c + column + 1) * ldm + r + row];
            } else {
                p[(c + column) * ldm + r + row] = f.x[i];
                p[(c + column + 1) * ldm + r + row] = f.x[i + 1];
            }
        }
}
template <int M, int N, int K, class T>
GPUCAL_DEVICE inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned ldm, layout_t layout)
{
    gpucal_sums<true>(f, (T *)p, ldm, layout);
}
template <int M, int N, int K, class T>
GPUCAL_DEVICE inline void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned ldm, layout_t layout)
{
    gpucal_sums<false>((fragment<accumulator, M, N, K, T> &)f, p, ldm, layout);
}
template <int M, int N, int K, class T, class LA, class LB, class D, class C>
GPUCAL_DEVICE inline void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LA> &,
                                   const fragment<matrix_b, M, N, K, T, LB> &, const fragment<accumulator, M, N, K, C> &c,
                                   bool = false)
{
    d.x[0] = gpucal_mma((T *)0, M * N * K, c.x[0]);
}
GPUCAL_DEVICE inline float __float_to_tf32(float x) { return x; }
}
}
#endif

/* ---- cooperative groups ---- */

#ifndef GPUCAL_NO_GROUPS
namespace cooperative_groups {
class thread_group {
  protected:
    unsigned n;
    GPUCAL_DEVICE thread_group(unsigned n) : n(n) {}

  public:
    GPUCAL_DEVICE unsigned size() const { return n; }
    GPUCAL_DEVICE unsigned num_threads() const { return n; }
    GPUCAL_DEVICE unsigned thread_rank() const { return rank() % n; }
    GPUCAL_DEVICE void sync() const { __syncthreads(); }
    GPUCAL_DEVICE static unsigned rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
};
struct thread_block : thread_group {
    GPUCAL_DEVICE thread_block() : thread_group(blockDim.x * blockDim.y * blockDim.z) {}
    GPUCAL_DEVICE static void sync() { __syncthreads(); }
    GPUCAL_DEVICE static unsigned thread_rank() { return rank(); }
    GPUCAL_DEVICE static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
    GPUCAL_DEVICE static unsigned num_threads() { return size(); }
    GPUCAL_DEVICE static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    GPUCAL_DEVICE static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    GPUCAL_DEVICE static dim3 group_dim() { return blockDim; }
    GPUCAL_DEVICE static dim3 dim_threads() { return blockDim; }
};
GPUCAL_DEVICE inline thread_block this_thread_block() { return thread_block(); }

/* What tiles and the threads of a warp that run together have. */
template <class Group> struct gpucal_lanes_of {
    GPUCAL_DEVICE static void sync() { __syncwarp(); }
    template <class T> GPUCAL_DEVICE T shfl(T v, unsigned lane) const { return gpucal::sub_group_shuffle(v, lane); }
    template <class T> GPUCAL_DEVICE T shfl_up(T v, unsigned by) const { return gpucal::sub_group_shuffle_up(v, by); }
    template <class T> GPUCAL_DEVICE T shfl_down(T v, unsigned by) const { return gpucal::sub_group_shuffle_down(v, by); }
    template <class T> GPUCAL_DEVICE T shfl_xor(T v, unsigned mask) const { return gpucal::sub_group_shuffle_xor(v, mask); }
    GPUCAL_DEVICE int any(int p) const { return gpucal::sub_group_any(p); }
    GPUCAL_DEVICE int all(int p) const { return gpucal::sub_group_all(p); }
    GPUCAL_DEVICE unsigned ballot(int p) const { return gpucal::sub_group_ballot(p); }
    template <class T> GPUCAL_DEVICE unsigned match_any(T v) const { return gpucal::sub_group_match(v); }
};
template <unsigned N, class Parent = void> struct thread_block_tile : gpucal_lanes_of<thread_block_tile<N>> {
    thread_block_tile() = default;
    template <class P> GPUCAL_DEVICE thread_block_tile(const thread_block_tile<N, P> &) {}
    GPUCAL_DEVICE static unsigned size() { return N; }
    GPUCAL_DEVICE static unsigned num_threads() { return N; }
    GPUCAL_DEVICE static unsigned thread_rank() { return thread_group::rank() % N; }
    GPUCAL_DEVICE static unsigned meta_group_rank() { return thread_group::rank() / N; }
    GPUCAL_DEVICE static unsigned meta_group_size() { return (thread_block::size() + N - 1) / N; }
};
struct coalesced_group : gpucal_lanes_of<coalesced_group> {
    GPUCAL_DEVICE unsigned size() const { return (unsigned)__popc(gpucal::sub_group_ballot(1)); }
    GPUCAL_DEVICE unsigned num_threads() const { return size(); }
    GPUCAL_DEVICE unsigned thread_rank() const
    {
        return (unsigned)__popc(gpucal::sub_group_ballot(1) & ((1u << gpucal::get_sub_group_local_id()) - 1));
    }
};
template <unsigned N, class Parent> GPUCAL_DEVICE inline thread_block_tile<N, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<N, Parent>();
}
struct gpucal_dynamic_tile : thread_group {
    GPUCAL_DEVICE gpucal_dynamic_tile(unsigned n) : thread_group(n) {}
    GPUCAL_DEVICE static void sync() { __syncwarp(); }
};
GPUCAL_DEVICE inline gpucal_dynamic_tile tiled_partition(const thread_group &, unsigned n)
{
    return gpucal_dynamic_tile(n);
}
GPUCAL_DEVICE inline coalesced_group coalesced_threads() { return coalesced_group(); }
struct grid_group {
    GPUCAL_DEVICE static void sync() { gpucal::grid_barrier(); }
    GPUCAL_DEVICE static bool is_valid() { return true; }
    GPUCAL_DEVICE static unsigned long long size()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * thread_block::size();
    }
    GPUCAL_DEVICE static unsigned long long num_threads() { return size(); }
    GPUCAL_DEVICE static unsigned long long thread_rank()
    {
        return (unsigned long long)((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) *
                   thread_block::size() +
               thread_group::rank();
    }
    GPUCAL_DEVICE static dim3 group_dim() { return gridDim; }
};
GPUCAL_DEVICE inline grid_group this_grid() { return grid_group(); }
template <class Group> GPUCAL_DEVICE inline void sync(const Group &g) { g.sync(); }

#define GPUCAL_OPERATOR(name, value)                                                                          \
    template <class T = void> struct name {                                                                   \
        template <class U> GPUCAL_DEVICE U operator()(U a, U b) const { return value; }                       \
    };
GPUCAL_OPERATOR(plus, a + b)
GPUCAL_OPERATOR(less, b < a ? b : a)
GPUCAL_OPERATOR(greater, a < b ? b : a)
GPUCAL_OPERATOR(bit_and, a &b)
GPUCAL_OPERATOR(bit_or, a | b)
GPUCAL_OPERATOR(bit_xor, a ^ b)
template <unsigned N, class P, class T, class Op>
GPUCAL_DEVICE inline T reduce(const thread_block_tile<N, P> &tile, T v, Op op)
{
    for (unsigned i = N / 2; i > 0; i /= 2)
        v = op(v, tile.shfl_xor(v, i));
    return v;
}
template <class T, class Op> GPUCAL_DEVICE inline T reduce(const coalesced_group &group, T v, Op op)
{
    for (unsigned i = 16; i > 0; i /= 2)
        v = op(v, group.shfl_xor(v, i));
    return v;
}
template <unsigned N, class P, class T, class Op>
GPUCAL_DEVICE inline T inclusive_scan(const thread_block_tile<N, P> &tile, T v, Op op)
{
    for (unsigned i = 1; i < N; i *= 2) {
        T other = tile.shfl_up(v, i);
        v = tile.thread_rank() >= i ? op(v, other) : v;
    }
    return v;
}
}
#endif

/* ---- what host code needs for its launches to be read ---- */

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef enum { cudaSuccess = 0 } cudaError_t;
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
typedef enum { hipSuccess = 0 } hipError_t;
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
extern "C" unsigned cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
#ifndef GPUCAL_NO_LAUNCH
#define GPUCAL_LAUNCH(name)                                                                                   \
    template <class T> int name(T *, dim3, dim3, void **, size_t = 0, cudaStream_t = 0);
GPUCAL_LAUNCH(cudaLaunchKernel)
GPUCAL_LAUNCH(cudaLaunchCooperativeKernel)
GPUCAL_LAUNCH(hipLaunchKernel)
GPUCAL_LAUNCH(hipLaunchCooperativeKernel)
#endif

/* ---- HIP ---- */

#ifdef GPUCAL_HIP
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...)                                          \
    kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
typedef cudaTextureObject_t hipTextureObject_t;
#ifndef GPUCAL_NO_HALF
typedef __bf16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
typedef __nv_fp8_e4m3 __hip_fp8_e4m3;
typedef __nv_fp8_e5m2 __hip_fp8_e5m2;
#endif
#ifndef GPUCAL_NO_COMPLEX
typedef cuFloatComplex hipFloatComplex;
typedef cuDoubleComplex hipDoubleComplex;
#endif
template <class T> GPUCAL_DEVICE inline T unsafeAtomicAdd(T *p, std::decay_t<T> v) { return atomicAdd(p, v); }
template <class T> GPUCAL_DEVICE inline T atomicAddNoRet(T *p, std::decay_t<T> v) { return atomicAdd(p, v); }

/* HIP's vectors have operators; as templates they give way to a program's own. */
#define GPUCAL_OPERATORS2(v, t)                                                                               \
    GPUCAL_PARTS2(v, t, +)                                                                                    \
    GPUCAL_PARTS2(v, t, -)                                                                                    \
    GPUCAL_PARTS2(v, t, *)                                                                                    \
    GPUCAL_PARTS2(v, t, /)
#define GPUCAL_OPERATORS3(v, t)                                                                               \
    GPUCAL_PARTS3(v, t, +)                                                                                    \
    GPUCAL_PARTS3(v, t, -)                                                                                    \
    GPUCAL_PARTS3(v, t, *)                                                                                    \
    GPUCAL_PARTS3(v, t, /)
#define GPUCAL_OPERATORS4(v, t)                                                                               \
    GPUCAL_PARTS4(v, t, +)                                                                                    \
    GPUCAL_PARTS4(v, t, -)                                                                                    \
    GPUCAL_PARTS4(v, t, *)                                                                                    \
    GPUCAL_PARTS4(v, t, /)
#define GPUCAL_WITH_ASSIGNMENT(v, t, op)                                                                      \
    template <int = 0> GPUCAL_INLINE v &operator op##=(v &a, v b) { return a = a op b; }                      \
    template <int = 0> GPUCAL_INLINE v &operator op##=(v &a, t b) { return a = a op b; }
#define GPUCAL_PARTS2(v, t, op)                                                                               \
    template <int = 0> GPUCAL_INLINE v operator op(v a, v b) { return { t(a.x op b.x), t(a.y op b.y) }; }     \
    template <int = 0> GPUCAL_INLINE v operator op(v a, t b) { return { t(a.x op b), t(a.y op b) }; }         \
    template <int = 0> GPUCAL_INLINE v operator op(t a, v b) { return { t(a op b.x), t(a op b.y) }; }         \
    GPUCAL_WITH_ASSIGNMENT(v, t, op)
#define GPUCAL_PARTS3(v, t, op)                                                                               \
    template <int = 0> GPUCAL_INLINE v operator op(v a, v b)                                                  \
    {                                                                                                         \
        return { t(a.x op b.x), t(a.y op b.y), t(a.z op b.z) };                                               \
    }                                                                                                         \
    template <int = 0> GPUCAL_INLINE v operator op(v a, t b) { return { t(a.x op b), t(a.y op b), t(a.z op b) }; } \
    template <int = 0> GPUCAL_INLINE v operator op(t a, v b) { return { t(a op b.x), t(a op b.y), t(a op b.z) }; } \
    GPUCAL_WITH_ASSIGNMENT(v, t, op)
#define GPUCAL_PARTS4(v, t, op)                                                                               \
    template <int = 0> GPUCAL_INLINE v operator op(v a, v b)                                                  \
    {                                                                                                         \
        return { t(a.x op b.x), t(a.y op b.y), t(a.z op b.z), t(a.w op b.w) };                                \
    }                                                                                                         \
    template <int = 0> GPUCAL_INLINE v operator op(v a, t b)                                                  \
    {                                                                                                         \
        return { t(a.x op b), t(a.y op b), t(a.z op b), t(a.w op b) };                                        \
    }                                                                                                         \
    template <int = 0> GPUCAL_INLINE v operator op(t a, v b)                                                  \
    {                                                                                                         \
        return { t(a op b.x), t(a op b.y), t(a op b.z), t(a op b.w) };                                        \
    }                                                                                                         \
    GPUCAL_WITH_ASSIGNMENT(v, t, op)
#define GPUCAL_ALL_OPERATORS(t)                                                                               \
    GPUCAL_OPERATORS2(t##2, t)                                                                                \
    GPUCAL_OPERATORS3(t##3, t)                                                                                \
    GPUCAL_OPERATORS4(t##4, t)
GPUCAL_ALL_OPERATORS(int)
GPUCAL_ALL_OPERATORS(uint)
GPUCAL_ALL_OPERATORS(float)
GPUCAL_ALL_OPERATORS(double)
#endif
