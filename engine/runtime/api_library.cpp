// Libraries of kernels that a program loads while it runs, and asks for kernels and variables by name
// (cudaLibraryLoadData and what belongs to it). A kernel's handle is launched like any other.
#include <algorithm>

#include "engine/runtime/launcher.h"
#include "engine/runtime/load_module.h"

using namespace warplens;
using namespace warplens::runtime;

namespace {

Module* module_of(cudaLibrary_t library) {
  return context().modules.module_of(reinterpret_cast<void**>(library));
}

cudaError_t load(Context& all, cudaLibrary_t* library, const void* data, const JitOptions& asked) {
  if (library == nullptr) return cudaErrorInvalidValue;
  Module* module = nullptr;
  std::string problem;
  const cudaError_t error = load_module(all, module, data, &problem);
  write_logs(asked, problem);
  *library = reinterpret_cast<cudaLibrary_t>(module);
  return error;
}

// Of a variable; managed ones too, as all memory is the host's.
cudaError_t find_variable(cudaLibrary_t library, const char* name, void** address, std::size_t* bytes) {
  Module* const module = module_of(library);
  if (module == nullptr) return cudaErrorInvalidResourceHandle;
  const std::uint64_t at = module->address_of(name);
  if (at == 0) return cudaErrorSymbolNotFound;
  if (address != nullptr) *address = reinterpret_cast<void*>(at);
  for (const ptx::Variable& variable : module->parsed()->variables)
    if (bytes != nullptr && variable.name == name) *bytes = variable.bytes();
  return cudaSuccess;
}

std::vector<std::string> kernels_of(const Module& module) {
  std::vector<std::string> names;
  for (const ptx::Function& function : module.parsed()->functions)
    if (function.is_entry) names.push_back(function.name);
  return names;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// Wishes to the compiler change no result.
cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption* options,
                                void** values, unsigned count, cudaLibraryOption*, void**, unsigned) {
  return call([&](Context& all) { return load(all, library, code, JitOptions::of(count, options, values)); });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* file, cudaJitOption* options,
                                    void** values, unsigned count, cudaLibraryOption*, void**, unsigned) {
  return call([&](Context& all) {
    const void* const bytes = read_module(file);
    return bytes == nullptr ? cudaErrorFileNotFound
                            : load(all, library, bytes, JitOptions::of(count, options, values));
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return call(
      [&](Context&) { return module_of(library) == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess; });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return call([&](Context& all) {
    Module* const module = module_of(library);
    if (kernel == nullptr || name == nullptr) return cudaErrorInvalidValue;
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    Function* const found = all.modules.function(module, name);
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return found == nullptr ? cudaErrorSymbolNotFound : cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return call([&](Context&) {
    const Module* const module = module_of(library);
    if (count == nullptr || module == nullptr) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(kernels_of(*module).size());
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned most, cudaLibrary_t library) {
  return call([&](Context& all) {
    Module* const module = module_of(library);
    if (kernels == nullptr || module == nullptr) return cudaErrorInvalidValue;
    for (const std::string& name : kernels_of(*module))
      if (most > 0) {
        *kernels++ = reinterpret_cast<cudaKernel_t>(all.modules.function(module, name));
        --most;
      }
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, std::size_t* bytes, cudaLibrary_t library,
                                 const char* name) {
  return call([&](Context&) { return find_variable(library, name, address, bytes); });
}

cudaError_t cudaLibraryGetManaged(void** address, std::size_t* bytes, cudaLibrary_t library,
                                  const char* name) {
  return call([&](Context&) { return find_variable(library, name, address, bytes); });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value);
}

}  // extern "C"
#pragma GCC visibility pop
