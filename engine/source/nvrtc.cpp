#include "engine/source/nvrtc.h"

#include <dlfcn.h>

#include "engine/base/message.h"

namespace warplens::source {

// The C interface as NVIDIA documents it: an opaque program and an enum whose 0 is success.
struct Nvrtc::Api {
  using Program = void*;
  using Status = int;
  void* library = nullptr;
  Status (*version)(int*, int*) = nullptr;
  Status (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  Status (*destroy)(Program*) = nullptr;
  Status (*add_name)(Program, const char*) = nullptr;
  Status (*compile)(Program, int, const char* const*) = nullptr;
  Status (*ptx_size)(Program, std::size_t*) = nullptr;
  Status (*ptx)(Program, char*) = nullptr;
  Status (*log_size)(Program, std::size_t*) = nullptr;
  Status (*log)(Program, char*) = nullptr;
  const char* (*error_text)(Status) = nullptr;
  Status (*set_flow_callback)(Program, int (*)(void*, void*), void*) = nullptr;  // since CUDA 12.9

  template <typename Function>
  bool bind(Function& into, const char* symbol) {
    into = reinterpret_cast<Function>(::dlsym(library, symbol));
    return into != nullptr;
  }
  bool bind_all() {
    bind(set_flow_callback, "nvrtcSetFlowCallback");
    return bind(version, "nvrtcVersion") && bind(create, "nvrtcCreateProgram") &&
           bind(destroy, "nvrtcDestroyProgram") && bind(add_name, "nvrtcAddNameExpression") &&
           bind(compile, "nvrtcCompileProgram") && bind(ptx_size, "nvrtcGetPTXSize") &&
           bind(ptx, "nvrtcGetPTX") && bind(log_size, "nvrtcGetProgramLogSize") &&
           bind(log, "nvrtcGetProgramLog") && bind(error_text, "nvrtcGetErrorString");
  }
};

namespace {

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

// Called by NVRTC between its phases; anything but 0 stops the compilation.
int stop_when_cancelled(void* payload, void*) {
  return static_cast<const Progress*>(payload)->cancelled() ? 1 : 0;
}

constexpr int kCompilationError = 6;  // NVRTC_ERROR_COMPILATION
constexpr int kInvalidOption = 5;     // NVRTC_ERROR_INVALID_OPTION

}  // namespace

Nvrtc::~Nvrtc() = default;  // the library stays loaded: NVRTC keeps threads and caches of its own

Result<std::shared_ptr<const Nvrtc>> Nvrtc::open(const std::string& library) {
  std::shared_ptr<Nvrtc> nvrtc(new Nvrtc);
  nvrtc->api_ = std::make_unique<Api>();
  Api& api = *nvrtc->api_;
  api.library = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (api.library == nullptr)
    return told(ErrorKind::System, {"compile.nvrtc.not_opened",
                                    {{"library", value_of(library)}, {"why", value_of(::dlerror())}}});
  if (!api.bind_all() || api.version(&nvrtc->major_, &nvrtc->minor_) != 0) {
    ::dlclose(api.library);
    return told(ErrorKind::System, {"compile.nvrtc.not_usable", {{"library", value_of(library)}}});
  }
  Dl_info info{};
  const bool known = ::dladdr(reinterpret_cast<void*>(api.version), &info) != 0 && info.dli_fname != nullptr;
  nvrtc->path_ = known ? info.dli_fname : library;
  return std::shared_ptr<const Nvrtc>(std::move(nvrtc));
}

Result<NvrtcResult> Nvrtc::compile(const NvrtcRequest& request) const {
  std::vector<std::string> header_names, header_texts;
  for (const auto& [name, text] : request.headers) {
    header_names.push_back(name);
    header_texts.push_back(text);
  }
  const auto names = pointers(header_names), texts = pointers(header_texts);
  const auto fail = [this](Api::Status status) {
    return told(ErrorKind::System, {"compile.nvrtc.failed", {{"why", value_of(api_->error_text(status))}}});
  };
  Api::Program program = nullptr;
  if (const auto status = api_->create(&program, request.text.c_str(), request.name.c_str(),
                                       static_cast<int>(names.size()), texts.data(), names.data());
      status != 0)
    return fail(status);
  struct Owner {
    const Api& api;
    Api::Program& program;
    ~Owner() { api.destroy(&program); }
  } owner{*api_, program};

  for (const std::string& instance : request.instances)
    if (const auto status = api_->add_name(program, instance.c_str()); status != 0) return fail(status);
  if (request.progress != nullptr && api_->set_flow_callback != nullptr)
    api_->set_flow_callback(program, stop_when_cancelled, request.progress);

  const auto options = pointers(request.options);
  const auto status = api_->compile(program, static_cast<int>(options.size()), options.data());
  if (request.progress != nullptr && request.progress->cancelled())
    return told(ErrorKind::Cancelled, {"compile.stopped", {}});

  NvrtcResult result;
  const auto fetch = [program](auto size_of, auto get, std::string& into) {
    std::size_t size = 0;
    if (size_of(program, &size) != 0 || size == 0) return;
    into.resize(size);
    if (get(program, into.data()) != 0) into.clear();
    while (!into.empty() && into.back() == '\0') into.pop_back();
  };
  fetch(api_->log_size, api_->log, result.log);
  if (status != 0 && status != kCompilationError && status != kInvalidOption && result.log.empty())
    return fail(status);
  result.ok = status == 0;
  if (result.ok) fetch(api_->ptx_size, api_->ptx, result.ptx);
  if (!result.ok && result.log.empty()) result.log = std::string("error: ") + api_->error_text(status);
  return result;
}

}  // namespace warplens::source
