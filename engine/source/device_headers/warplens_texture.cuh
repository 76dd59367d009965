// Texture and surface objects, as the instructions of the texture unit.
#pragma once

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

// How a texel of type T is read: which result type the instruction has, and its vector from four words.
template <typename T>
struct warplens_texel;
#define WARPLENS_TEXEL(T, kind, word, value) \
  template <>                                \
  struct warplens_texel<T> {                 \
    typedef kind result;                     \
    static __device__ __inline__ __attribute__((always_inline, nodebug)) T make(word x, word y, word z, word w) { return value; } \
  };
struct warplens_floats {};
struct warplens_signed {};
struct warplens_unsigned {};
#define WARPLENS_TEXELS(T, vector, kind, word)                                                       \
  WARPLENS_TEXEL(T, kind, word, (T)x)                                                                \
  WARPLENS_TEXEL(vector##1, kind, word, make_##vector##1((T)x))                                      \
  WARPLENS_TEXEL(vector##2, kind, word, (make_##vector##2((T)x, (T)y)))                              \
  WARPLENS_TEXEL(vector##4, kind, word, (make_##vector##4((T)x, (T)y, (T)z, (T)w)))
WARPLENS_TEXELS(float, float, warplens_floats, float)
WARPLENS_TEXELS(int, int, warplens_signed, int)
WARPLENS_TEXELS(short, short, warplens_signed, int)
WARPLENS_TEXELS(signed char, char, warplens_signed, int)
WARPLENS_TEXELS(unsigned int, uint, warplens_unsigned, unsigned)
WARPLENS_TEXELS(unsigned short, ushort, warplens_unsigned, unsigned)
WARPLENS_TEXELS(unsigned char, uchar, warplens_unsigned, unsigned)
#undef WARPLENS_TEXELS
#undef WARPLENS_TEXEL

// One function an instruction and kind of result; lists that go through the macros are in parentheses.
#define WARPLENS_UNPACK(...) __VA_ARGS__
#define WARPLENS_TEX_KIND(name, kind, word, letter, instruction, coordinates, parameters, inputs)           \
  template <typename T>                                                                                     \
  WARPLENS_FN T warplens_##name(kind, cudaTextureObject_t t, WARPLENS_UNPACK parameters) {                  \
    word a, b, c, d;                                                                                        \
    asm volatile(instruction " {%0, %1, %2, %3}, [%4, " coordinates "];"                                    \
                 : "=" letter(a), "=" letter(b), "=" letter(c), "=" letter(d)                               \
                 : "l"(t), WARPLENS_UNPACK inputs);                                                         \
    return warplens_texel<T>::make(a, b, c, d);                                                             \
  }
#define WARPLENS_TEX(name, opcode, type, coordinates, parameters, values, inputs)                           \
  WARPLENS_TEX_KIND(name, warplens_floats, float, "f", opcode ".v4.f32." type, coordinates, parameters, inputs)    \
  WARPLENS_TEX_KIND(name, warplens_signed, int, "r", opcode ".v4.s32." type, coordinates, parameters, inputs)      \
  WARPLENS_TEX_KIND(name, warplens_unsigned, unsigned, "r", opcode ".v4.u32." type, coordinates, parameters, inputs) \
  template <typename T>                                                                                     \
  WARPLENS_FN T name(cudaTextureObject_t t, WARPLENS_UNPACK parameters) {                                   \
    return warplens_##name<T>(typename warplens_texel<T>::result(), t, WARPLENS_UNPACK values);             \
  }

WARPLENS_TEX(tex1Dfetch, "tex.1d", "s32", "{%5}", (int x), (x), ("r"(x)))
WARPLENS_TEX(tex1D, "tex.1d", "f32", "{%5}", (float x), (x), ("f"(x)))
WARPLENS_TEX(tex2D, "tex.2d", "f32", "{%5, %6}", (float x, float y), (x, y), ("f"(x), "f"(y)))
WARPLENS_TEX(tex3D, "tex.3d", "f32", "{%5, %6, %7, %7}", (float x, float y, float z), (x, y, z),
             ("f"(x), "f"(y), "f"(z)))
#undef WARPLENS_TEX
#undef WARPLENS_TEX_KIND
template <typename T>
WARPLENS_FN T tex2DLod(cudaTextureObject_t t, float x, float y, float) {
  return tex2D<T>(t, x, y);
}

// Surfaces: by the bytes of an element, with x in bytes. Reads and writes of 16 bytes are two or four words.
#define WARPLENS_SURFACE(bytes, word, letter, type, mode_name, mode)                                         \
  WARPLENS_FN word warplens_read1_##bytes##_##mode_name(cudaSurfaceObject_t s, int x) {                      \
    word v;                                                                                                  \
    asm volatile("suld.b.1d." type "." mode " {%0}, [%1, {%2}];" : "=" letter(v) : "l"(s), "r"(x) : "memory"); \
    return v;                                                                                                \
  }                                                                                                          \
  WARPLENS_FN word warplens_read2_##bytes##_##mode_name(cudaSurfaceObject_t s, int x, int y) {               \
    word v;                                                                                                  \
    asm volatile("suld.b.2d." type "." mode " {%0}, [%1, {%2, %3}];"                                         \
                 : "=" letter(v) : "l"(s), "r"(x), "r"(y) : "memory");                                       \
    return v;                                                                                                \
  }                                                                                                          \
  WARPLENS_FN void warplens_write1_##bytes##_##mode_name(cudaSurfaceObject_t s, int x, word v) {             \
    asm volatile("sust.b.1d." type "." mode " [%0, {%1}], {%2};" :: "l"(s), "r"(x), letter(v) : "memory");   \
  }                                                                                                          \
  WARPLENS_FN void warplens_write2_##bytes##_##mode_name(cudaSurfaceObject_t s, int x, int y, word v) {      \
    asm volatile("sust.b.2d." type "." mode " [%0, {%1, %2}], {%3};"                                         \
                 :: "l"(s), "r"(x), "r"(y), letter(v) : "memory");                                           \
  }
#define WARPLENS_SURFACES(bytes, word, letter, type)               \
  WARPLENS_SURFACE(bytes, word, letter, type, zero, "zero")        \
  WARPLENS_SURFACE(bytes, word, letter, type, clamp, "clamp")      \
  WARPLENS_SURFACE(bytes, word, letter, type, trap, "trap")
WARPLENS_SURFACES(1, unsigned short, "h", "b8")
WARPLENS_SURFACES(2, unsigned short, "h", "b16")
WARPLENS_SURFACES(4, unsigned, "r", "b32")
WARPLENS_SURFACES(8, unsigned long long, "l", "b64")
#undef WARPLENS_SURFACES
#undef WARPLENS_SURFACE

#define WARPLENS_SURFACE_CALL(op, bytes, ...)                                       \
  (mode == cudaBoundaryModeZero    ? warplens_##op##_##bytes##_zero(__VA_ARGS__)    \
   : mode == cudaBoundaryModeClamp ? warplens_##op##_##bytes##_clamp(__VA_ARGS__)   \
                                   : warplens_##op##_##bytes##_trap(__VA_ARGS__))
#define WARPLENS_SURFACE_READ(op, bytes, word, ...)       \
  if constexpr (sizeof(T) == bytes) {                             \
    word v = WARPLENS_SURFACE_CALL(op, bytes, __VA_ARGS__); \
    __builtin_memcpy(&out, &v, bytes);                    \
  }
#define WARPLENS_SURFACE_WRITE(op, bytes, word, ...)      \
  if constexpr (sizeof(T) == bytes) {                             \
    word v = 0;                                           \
    __builtin_memcpy(&v, &value, bytes);                  \
    WARPLENS_SURFACE_CALL(op, bytes, __VA_ARGS__, v);     \
  }
#define WARPLENS_SURFACE_SIZES(use, op, ...)              \
  use(op, 1, unsigned short, __VA_ARGS__) use(op, 2, unsigned short, __VA_ARGS__) \
  use(op, 4, unsigned, __VA_ARGS__) use(op, 8, unsigned long long, __VA_ARGS__)

template <typename T>
WARPLENS_FN T surf1Dread(cudaSurfaceObject_t s, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  T out;
  WARPLENS_SURFACE_SIZES(WARPLENS_SURFACE_READ, read1, s, x)
  return out;
}
template <typename T>
WARPLENS_FN T surf2Dread(cudaSurfaceObject_t s, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  T out;
  WARPLENS_SURFACE_SIZES(WARPLENS_SURFACE_READ, read2, s, x, y)
  return out;
}
template <typename T>
WARPLENS_FN void surf1Dread(T* to, cudaSurfaceObject_t s, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = surf1Dread<T>(s, x, mode);
}
template <typename T>
WARPLENS_FN void surf2Dread(T* to, cudaSurfaceObject_t s, int x, int y,
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = surf2Dread<T>(s, x, y, mode);
}
template <typename T>
WARPLENS_FN void surf1Dwrite(T value, cudaSurfaceObject_t s, int x,
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  WARPLENS_SURFACE_SIZES(WARPLENS_SURFACE_WRITE, write1, s, x)
}
template <typename T>
WARPLENS_FN void surf2Dwrite(T value, cudaSurfaceObject_t s, int x, int y,
                             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  WARPLENS_SURFACE_SIZES(WARPLENS_SURFACE_WRITE, write2, s, x, y)
}
