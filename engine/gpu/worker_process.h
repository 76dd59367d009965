// The program's side of the GPU worker: starts the process, asks, waits with a limit, and ends it when it is
// stuck.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>

#include "engine/gpu/channel.h"

namespace warplens::gpu {

class WorkerProcess {
 public:
  // Starts $WARPLENS_WORKER, else this very program, with the arguments `gpu-worker FD`.
  static Result<std::unique_ptr<WorkerProcess>> start();
  ~WorkerProcess();  // ends the process

  // Sends a request and waits for its answer. `on_progress` gets fractions on the way and returns false to
  // cancel: the worker is told to stop, and ended when it does not. A silence longer than `limit_seconds`
  // ends it too, with an Error of kind Fault.
  Result<Frame> ask(const Frame& request, double limit_seconds,
                    const std::function<bool(double)>& on_progress);
  bool alive() const { return pid_ > 0; }
  // What the kernel's printf wrote since the last call.
  std::string take_output();

 private:
  WorkerProcess(pid_t pid, int socket, int output);
  void end();
  Error stop();
  pid_t pid_;
  Channel channel_;
  int output_;
};

}  // namespace warplens::gpu
