#include "engine/gpu/constant_places.h"

#include <fmt/format.h>

#include "engine/gpu/device_buffer.h"

namespace warplens::gpu {
namespace {

constexpr const char* kPlacesKernel = "warplens_constant_places";

}  // namespace

std::vector<std::string> constants_of(const ptx::Module& module) {
  std::vector<std::string> out;
  for (const ptx::Variable& variable : module.variables)
    if (variable.space == ptx::StateSpace::Const && !variable.is_extern) out.push_back(variable.name);
  return out;
}

std::string constant_places_kernel(const std::vector<std::string>& constants) {
  std::string out = fmt::format(
      "\n.visible .entry {0}(.param .u64 {0}_to)\n{{\n\t.reg .b64 \t%rd<3>;\n\tld.param.u64 \t%rd1, "
      "[{0}_to];\n"
      "\tcvta.to.global.u64 \t%rd1, %rd1;\n",
      kPlacesKernel);
  for (std::size_t i = 0; i < constants.size(); ++i)
    out += fmt::format("\tmov.u64 \t%rd2, {};\n\tst.global.u64 \t[%rd1+{}], %rd2;\n", constants[i], 8 * i);
  return out + "\tret;\n}\n";
}

Result<std::vector<std::uint64_t>> constant_places(const Driver& driver, ModuleHandle module,
                                                   std::size_t count) {
  std::vector<std::uint64_t> out(count);
  if (out.empty()) return out;
  const auto buffer = DeviceBuffer::make(driver, 8 * count);
  if (!buffer) return buffer.error();
  DevicePointer pointer = buffer->pointer();
  void* arguments[] = {&pointer};
  FunctionHandle function = nullptr;
  CudaResult code = driver.module_function(&function, module, kPlacesKernel);
  if (code == 0) code = driver.launch(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  if (code == 0) code = driver.copy_to_host(out.data(), pointer, 8 * count);
  if (code != 0) return driver.error(code, "read_records");
  return out;
}

}  // namespace warplens::gpu
