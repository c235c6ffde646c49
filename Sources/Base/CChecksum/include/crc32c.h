#ifndef CRC32C_H
#define CRC32C_H

#include <stddef.h>
#include <stdint.h>

/// Whether the processor has an instruction for CRC-32C (Castagnoli).
int crc32c_is_supported(void);

/// The state of a checksum behind more bytes, without its first and last inversion.
///
/// Only where `crc32c_is_supported` says so.
uint32_t crc32c_update(uint32_t state, const void *bytes, size_t count);

#endif
