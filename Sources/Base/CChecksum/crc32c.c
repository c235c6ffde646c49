#include "crc32c.h"

#include <string.h>

#if defined(__x86_64__)

#include <cpuid.h>
#include <nmmintrin.h>

#define HAS_INSTRUCTION __attribute__((target("sse4.2")))
#define STEP_8(state, word) ((uint32_t)_mm_crc32_u64(state, word))
#define STEP_1(state, byte) _mm_crc32_u8(state, byte)

int crc32c_is_supported(void) {
  unsigned int a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
}

#elif defined(__aarch64__)

#include <arm_acle.h>

#define HAS_INSTRUCTION __attribute__((target("crc")))
#define STEP_8(state, word) __crc32cd(state, word)
#define STEP_1(state, byte) __crc32cb(state, byte)

#if defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

int crc32c_is_supported(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
#else
// Every processor of Apple's has it.
int crc32c_is_supported(void) { return 1; }
#endif

#else

#define HAS_INSTRUCTION
#define STEP_8(state, word) (state)
#define STEP_1(state, byte) (state)

int crc32c_is_supported(void) { return 0; }

#endif

HAS_INSTRUCTION
uint32_t crc32c_update(uint32_t state, const void *bytes, size_t count) {
  const unsigned char *next = bytes;
  for (; count >= 8; count -= 8, next += 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    state = STEP_8(state, word);
  }
  for (; count > 0; count -= 1, next += 1) {
    state = STEP_1(state, *next);
  }
  return state;
}
