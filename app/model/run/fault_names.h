// What the emulator knows by position and by bytes, people know by the names and extents of their source.
//
//   element 1024 of argument 0                      ->  element 1024 of out
//   byte 340 of the shared array tile (tile[85])    ->  (tile[5][0])
#pragma once

#include "app/model/run/pipeline.h"
#include "app/model/run/signature.h"

namespace warplens::model {

void name_fault(const Program& program, const Signature& signature, Message& what);

}  // namespace warplens::model
