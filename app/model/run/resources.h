// What a kernel needs of an SM, known without running it.
#pragma once

#include <cstdint>

#include "app/model/run/pipeline.h"
#include "engine/base/evidence.h"

namespace warplens::model {

// Registers a thread: as ptxas reports them (counted), else estimated from liveness (modelled).
Figure<int> registers_of(const Program& program, const ptx::Function& entry);

// What a launch gives a thread of a kernel for which ptxas wants so many.
int given_registers(const ptx::Module& module, const ptx::Function& entry, int by_ptxas);

// Bytes of shared memory that an entry and the functions it calls declare, without the dynamic array.
std::uint64_t static_shared_bytes(const ptx::Module& module, const ptx::Function& entry);

}  // namespace warplens::model
