// The GPU worker: a process of its own that holds the CUDA context, so that a kernel which faults or never
// ends takes only this process with it. The program starts it as `warplens gpu-worker FD`; it answers
// requests on that socket until the socket closes.
//
// Requests (head of a Frame)                          answer
//   {do: open, device}  blob: PTX                      {}
//   {do: run, launch}                                  {milliseconds, registers, ...}  blobs: buffers
//   {do: time, launch, options}                        {samples, flushed, empty, peak, clocks, ...}
//   {do: record, launch, bytes, control}               {milliseconds}  blobs: control, records, buffers
//   {do: transfers, options}                           {rows}                  (transfers.h)
//   {do: streams, launch, options}                     {totals, operations}    (streams.h)
//   {do: product, size, options}                       {samples, version}      (library_product.h)
//   {do: counters, launch}                             {values, passes}        (counters.h)
//   {do: stop}                                         none; ends a request that reports its progress early
// Every answer may instead be {error: text, kind}. After an error of kind "fault" the worker ends: its
// context is lost, and the next request starts a new one.
#pragma once

namespace warplens::gpu {

// Returns the process exit code.
int worker_main(int socket);

}  // namespace warplens::gpu
