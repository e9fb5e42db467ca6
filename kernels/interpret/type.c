/* type.c - types of the interpreter: translation, rounding, values in memory */
#include <math.h>
#include <string.h>

#include "kernels/interpret/private.h"

#define SHARED_BYTES 49152 /* that any launch may have */

#define BASIC(repr, size) [repr] = { repr, size, 0, NULL, NULL, false }
static const struct gcal_interp_type basic[] = {
    BASIC(GCAL_INTERP_VOID, 0), BASIC(GCAL_INTERP_BOOL, 1), BASIC(GCAL_INTERP_I8, 1),
    BASIC(GCAL_INTERP_U8, 1),   BASIC(GCAL_INTERP_I16, 2),  BASIC(GCAL_INTERP_U16, 2),
    BASIC(GCAL_INTERP_I32, 4),  BASIC(GCAL_INTERP_U32, 4),  BASIC(GCAL_INTERP_I64, 8),
    BASIC(GCAL_INTERP_U64, 8),  BASIC(GCAL_INTERP_F16, 2),  BASIC(GCAL_INTERP_F32, 4),
    BASIC(GCAL_INTERP_F64, 8),
};

const struct gcal_interp_type *gcal_interp_type_basic(enum gcal_interp_repr repr)
{
    return &basic[repr];
}

static enum gcal_interp_repr scalar_repr(enum CXTypeKind kind)
{
    switch (kind) {
    case CXType_Bool:
        return GCAL_INTERP_BOOL;
    case CXType_Char_S:
    case CXType_SChar:
        return GCAL_INTERP_I8;
    case CXType_Char_U:
    case CXType_UChar:
        return GCAL_INTERP_U8;
    case CXType_Short:
        return GCAL_INTERP_I16;
    case CXType_UShort:
        return GCAL_INTERP_U16;
    case CXType_Int:
        return GCAL_INTERP_I32;
    case CXType_UInt:
    case CXType_Enum:
        return GCAL_INTERP_U32;
    case CXType_Long:
    case CXType_LongLong:
        return GCAL_INTERP_I64;
    case CXType_ULong:
    case CXType_ULongLong:
        return GCAL_INTERP_U64;
    case CXType_Half:
    case CXType_Float16:
        return GCAL_INTERP_F16;
    case CXType_Float:
        return GCAL_INTERP_F32;
    case CXType_Double:
        return GCAL_INTERP_F64;
    default:
        return GCAL_INTERP_VOID;
    }
}

static const struct gcal_interp_type *compound(struct gcal_interp_translator *t,
                                               enum gcal_interp_repr repr,
                                               const struct gcal_interp_type *element,
                                               size_t count, size_t size)
{
    struct gcal_interp_type *type = gcal_interp_program_alloc(t, sizeof(*type));

    if (type)
        *type = (struct gcal_interp_type){
            .repr = repr, .size = size, .count = count, .element = element
        };
    return type;
}

const struct gcal_interp_type *gcal_interp_type_pointer(struct gcal_interp_translator *t,
                                                        const struct gcal_interp_type *to)
{
    return compound(t, GCAL_INTERP_POINTER, to, 0, sizeof(struct gcal_interp_pointer));
}

const struct gcal_interp_type *
gcal_interp_type_translate(struct gcal_interp_translator *t, CXType type, CXCursor at)
{
    const struct gcal_interp_type *element;
    CXString text;
    long long count;

    type = clang_getCanonicalType(type);
    if (type.kind == CXType_Void || scalar_repr(type.kind) != GCAL_INTERP_VOID)
        return &basic[scalar_repr(type.kind)];
    switch (type.kind) {
    case CXType_Pointer:
    case CXType_LValueReference:
    case CXType_RValueReference:
        element = gcal_interp_type_translate(t, clang_getPointeeType(type), at);
        return element ? gcal_interp_type_pointer(t, element) : NULL;
    case CXType_IncompleteArray: /* of shared memory, whose size the launch gives */
    case CXType_ConstantArray:
        count = clang_getArraySize(type);
        element = gcal_interp_type_translate(t, clang_getArrayElementType(type), at);
        if (!element)
            return NULL;
        if (type.kind == CXType_IncompleteArray && element->size)
            count = t->unit->language == GCAL_SOURCE_CUDA
                        ? SHARED_BYTES / (long long)element->size
                        : -1;
        if (count < 0 ||
            (element->size && count > (1ll << 30) / (long long)element->size))
            return gcal_interp_unsupported(t, at, "an array of %lld elements", count);
        return compound(t, GCAL_INTERP_ARRAY, element, (size_t)count,
                        (size_t)count * element->size);
    case CXType_ExtVector:
    case CXType_Vector:
        count = clang_getNumElements(type);
        element = gcal_interp_type_translate(t, clang_getElementType(type), at);
        if (!element)
            return NULL;
        if (count < 2 || count > GCAL_INTERP_MAX_LANES)
            return gcal_interp_unsupported(t, at, "a vector of %lld", count);
        return compound(t, GCAL_INTERP_VECTOR, element, (size_t)count,
                        (size_t)(count == 3 ? 4 : count) * element->size);
    case CXType_Record:
        return gcal_interp_type_record(t, type, at);
    default:
        text = clang_getTypeSpelling(type);
        gcal_interp_unsupported(t, at, "the type '%s'", clang_getCString(text));
        clang_disposeString(text);
        return NULL;
    }
}

const struct gcal_interp_type *gcal_interp_type_lane(const struct gcal_interp_type *type)
{
    return type->repr == GCAL_INTERP_VECTOR ? type->element : type;
}

const char *gcal_interp_type_dtype(const struct gcal_interp_type *type)
{
    static const char *const names[] = { NULL,     "uint8",  "int8",    "uint8",
                                         "int16",  "uint16", "int32",   "uint32",
                                         "int64",  "uint64", "float16", "float32",
                                         "float64" };
    enum gcal_interp_repr repr = gcal_interp_type_lane(type)->repr;

    return repr <= GCAL_INTERP_F64 ? names[repr] : NULL;
}

bool gcal_interp_type_equal(const struct gcal_interp_type *a,
                            const struct gcal_interp_type *b)
{
    if (a == b)
        return true;
    return a && b && a->repr == b->repr && a->repr != GCAL_INTERP_RECORD &&
           a->count == b->count && gcal_interp_type_equal(a->element, b->element);
}

/* ---- rounding ---- */

int64_t gcal_interp_int_wrap(enum gcal_interp_repr repr, int64_t value)
{
    switch (repr) {
    case GCAL_INTERP_BOOL:
        return value != 0;
    case GCAL_INTERP_I8:
        return (int8_t)value;
    case GCAL_INTERP_U8:
        return (uint8_t)value;
    case GCAL_INTERP_I16:
        return (int16_t)value;
    case GCAL_INTERP_U16:
        return (uint16_t)value;
    case GCAL_INTERP_I32:
        return (int32_t)value;
    case GCAL_INTERP_U32:
        return (uint32_t)value;
    default:
        return value;
    }
}

/* To half's 11 bits, to nearest even; its smallest step is 2^-24. */
static double round_half(double value)
{
    int exponent;
    double step;

    if (!isfinite(value) || value == 0.0)
        return value;
    frexp(value, &exponent);
    step = ldexp(1.0, exponent < -13 ? -24 : exponent - 11);
    value = copysign(nearbyint(fabs(value) / step) * step, value);
    return fabs(value) > 65504.0 ? copysign(INFINITY, value) : value;
}

double gcal_interp_float_round(enum gcal_interp_repr repr, double value)
{
    if (repr == GCAL_INTERP_F32)
        return (float)value;
    return repr == GCAL_INTERP_F16 ? round_half(value) : value;
}

/* Values out of range saturate (undefined in both languages); NaN gives 0. */
int64_t gcal_interp_int_from_float(enum gcal_interp_repr repr, double value)
{
    if (repr == GCAL_INTERP_BOOL)
        return value != 0.0;
    if (isnan(value))
        return 0;
    if (repr == GCAL_INTERP_U64)
        return value <= 0.0      ? 0
               : value >= 0x1p64 ? -1 /* all bits */
                                 : (int64_t)(uint64_t)value;
    if (value >= 0x1p63)
        return gcal_interp_int_wrap(repr, INT64_MAX);
    if (value < -0x1p63)
        return gcal_interp_int_wrap(repr, INT64_MIN);
    return gcal_interp_int_wrap(repr, (int64_t)value);
}

int64_t gcal_interp_int_saturate(enum gcal_interp_repr repr, double value)
{
    static const int64_t limits[][2] = {
        [GCAL_INTERP_I8] = { INT8_MIN, INT8_MAX },
        [GCAL_INTERP_U8] = { 0, UINT8_MAX },
        [GCAL_INTERP_I16] = { INT16_MIN, INT16_MAX },
        [GCAL_INTERP_U16] = { 0, UINT16_MAX },
        [GCAL_INTERP_I32] = { INT32_MIN, INT32_MAX },
        [GCAL_INTERP_U32] = { 0, UINT32_MAX },
    };

    if (repr >= GCAL_INTERP_I8 && repr <= GCAL_INTERP_U32) {
        if (value < (double)limits[repr][0])
            return limits[repr][0];
        if (value > (double)limits[repr][1])
            return limits[repr][1];
    }
    return gcal_interp_int_from_float(repr, value); /* 64 bits saturate there */
}

double gcal_interp_float_from_int(enum gcal_interp_repr from, int64_t value)
{
    return from == GCAL_INTERP_U64 ? (double)(uint64_t)value : (double)value;
}

/* ---- memory ---- */

static uint16_t half_bits(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    int exponent;
    double fraction;

    value = fabs(value);
    if (isnan(value))
        return sign | 0x7e00;
    if (isinf(value))
        return sign | 0x7c00;
    if (value < 0x1p-14)
        return sign | (uint16_t)(value * 0x1p24);
    fraction = frexp(value, &exponent); /* 0.5 <= fraction < 1 */
    return sign | (uint16_t)((exponent + 14) << 10) |
           (uint16_t)((fraction * 2 - 1) * 1024);
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value;

    if (exponent == 31)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, -24);
    else
        value = ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/* Memory is accessed by memcpy: buffers need not be aligned. */
#define READ(ctype, field)                                                               \
    do {                                                                                 \
        ctype x;                                                                         \
        memcpy(&x, from, sizeof(x));                                                     \
        value->field = x;                                                                \
    } while (0)

static void read_lane(enum gcal_interp_repr repr, const unsigned char *from,
                      struct gcal_interp_value *value)
{
    uint16_t bits;

    switch (repr) {
    case GCAL_INTERP_BOOL:
    case GCAL_INTERP_U8:
        value->i = *from;
        break;
    case GCAL_INTERP_I8:
        READ(int8_t, i);
        break;
    case GCAL_INTERP_I16:
        READ(int16_t, i);
        break;
    case GCAL_INTERP_U16:
        READ(uint16_t, i);
        break;
    case GCAL_INTERP_I32:
        READ(int32_t, i);
        break;
    case GCAL_INTERP_U32:
        READ(uint32_t, i);
        break;
    case GCAL_INTERP_I64:
    case GCAL_INTERP_U64:
        READ(int64_t, i);
        break;
    case GCAL_INTERP_F16:
        memcpy(&bits, from, sizeof(bits));
        value->f = half_value(bits);
        break;
    case GCAL_INTERP_F32:
        READ(float, f);
        break;
    case GCAL_INTERP_F64:
        READ(double, f);
        break;
    default:
        READ(struct gcal_interp_pointer, p);
        break;
    }
}

void gcal_interp_value_read(const struct gcal_interp_type *type,
                            const unsigned char *from, struct gcal_interp_value *value)
{
    struct gcal_interp_value lane;

    if (type->repr == GCAL_INTERP_RECORD) { /* refers to the memory */
        value->p = (struct gcal_interp_pointer){ (unsigned char *)(uintptr_t)from,
                                                 type->size, 0 };
        return;
    }
    if (type->repr != GCAL_INTERP_VECTOR) {
        read_lane(type->repr, from, value);
        return;
    }
    for (size_t i = 0; i < type->count; i++) {
        read_lane(type->element->repr, from + i * type->element->size, &lane);
        value->v.i[i] = lane.i;
    }
}

static void write_lane(enum gcal_interp_repr repr, unsigned char *to,
                       const struct gcal_interp_value *value)
{
    const uint16_t bits = repr == GCAL_INTERP_F16 ? half_bits(value->f) : 0;
    const float single = repr == GCAL_INTERP_F32 ? (float)value->f : 0.0f;

    switch (repr) {
    case GCAL_INTERP_F16:
        memcpy(to, &bits, sizeof(bits));
        break;
    case GCAL_INTERP_F32:
        memcpy(to, &single, sizeof(single));
        break;
    case GCAL_INTERP_F64:
        memcpy(to, &value->f, sizeof(value->f));
        break;
    case GCAL_INTERP_POINTER:
        memcpy(to, &value->p, sizeof(value->p));
        break;
    default: /* little-endian, as all hosts with OpenCL are */
        memcpy(to, &value->i, basic[repr].size);
        break;
    }
}

void gcal_interp_value_write(const struct gcal_interp_type *type, unsigned char *to,
                             const struct gcal_interp_value *value)
{
    struct gcal_interp_value lane;

    if (type->repr == GCAL_INTERP_RECORD) {
        if (value->p.base)
            memmove(to, value->p.base + value->p.offset, type->size);
        return;
    }
    if (type->repr != GCAL_INTERP_VECTOR) {
        write_lane(type->repr, to, value);
        return;
    }
    for (size_t i = 0; i < type->count; i++) {
        lane.i = value->v.i[i];
        write_lane(type->element->repr, to + i * type->element->size, &lane);
    }
}
