#include "engine/gpu/clean_cache.h"

#include <algorithm>
#include <utility>

namespace warplens::gpu {
namespace {

// Each thread reads 16 bytes and goes on by as many as there are threads. It stores only if all words it read
// together were odd, which zeros are not: no compiler can leave the reads out, and nothing is written.
constexpr const char* kReader = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry warplens_read_all(.param .u64 data, .param .u64 bytes) {
  .reg .pred %p<3>;
  .reg .b32 %r<10>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [data];
  ld.param.u64 %rd2, [bytes];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  mul.wide.u32 %rd3, %r1, 16;
  mov.u32 %r4, %nctaid.x;
  mul.lo.u32 %r4, %r4, %r2;
  mul.wide.u32 %rd4, %r4, 16;
  mov.u32 %r5, 0;
again:
  setp.ge.u64 %p1, %rd3, %rd2;
  @%p1 bra done;
  add.u64 %rd5, %rd1, %rd3;
  ld.global.cg.v4.u32 {%r6, %r7, %r8, %r9}, [%rd5];
  or.b32 %r5, %r5, %r6;
  or.b32 %r5, %r5, %r7;
  or.b32 %r5, %r5, %r8;
  or.b32 %r5, %r5, %r9;
  add.u64 %rd3, %rd3, %rd4;
  bra again;
done:
  and.b32 %r5, %r5, 1;
  setp.eq.u32 %p2, %r5, 0;
  @%p2 bra out;
  st.global.u32 [%rd1], %r5;
out:
  ret;
}
)";

constexpr std::size_t kTimesL2 = 4;  // lines leave L2 in no strict order
constexpr unsigned kBlocks = 1024, kThreads = 256;

}  // namespace

CleanCache::CleanCache(CleanCache&& other) noexcept
    : driver_(other.driver_),
      buffer_(std::move(other.buffer_)),
      module_(std::exchange(other.module_, nullptr)),
      reader_(other.reader_) {}

CleanCache::~CleanCache() {
  if (module_ != nullptr) driver_->module_unload(module_);
}

Result<CleanCache> CleanCache::make(const Driver& driver, std::size_t l2_bytes) {
  auto buffer = DeviceBuffer::make(driver, std::max<std::size_t>(kTimesL2 * l2_bytes, std::size_t{1} << 20));
  if (!buffer) return buffer.error();
  CudaResult code = driver.fill_bytes(buffer->pointer(), 0, buffer->bytes());
  if (code == 0) code = driver.synchronize();
  ModuleHandle module = nullptr;
  if (code == 0) code = driver.module_load(&module, kReader, 0, nullptr, nullptr);
  FunctionHandle reader = nullptr;
  if (code == 0) code = driver.module_function(&reader, module, "warplens_read_all");
  if (code != 0) {
    if (module != nullptr) driver.module_unload(module);
    return driver.error(code, "prepare_emptying_l2");
  }
  return CleanCache(driver, std::move(*buffer), module, reader);
}

Status CleanCache::empty() const {
  DevicePointer data = buffer_.pointer();
  std::uint64_t bytes = buffer_.bytes() / 16 * 16;
  void* arguments[] = {&data, &bytes};
  CudaResult code = driver_->launch(reader_, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr);
  if (code == 0) code = driver_->synchronize();
  if (code != 0) return driver_->error(code, "empty_l2");
  return Done{};
}

}  // namespace warplens::gpu
