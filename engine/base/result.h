// Errors as values: where something went wrong, what, and what to do about it.
//
//   Result<Module> module = parse(text);
//   if (!module) return module.error();
//   use(*module);
//
// A Result is either a value or an Error. Reading the value of a failed Result is a programming error and
// throws std::logic_error (so that the window's last-resort handler can show it), it is never undefined.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warplens {

struct Message;  // engine/base/message.h

// A position in a text. Lines and columns count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const Place&) const = default;
};

enum class ErrorKind {
  Usage,        // bad argument, unreadable input
  Compile,      // the kernel does not compile
  Unsupported,  // an instruction or feature that is named but cannot be executed
  Fault,        // the kernel misbehaved
  Cancelled,    // the user asked to stop
  System,       // file system, driver, memory
};

struct Error {
  ErrorKind kind = ErrorKind::System;
  std::string message;  // English, one sentence that names what, where and what to do
  Place place;
  std::vector<std::string> notes;  // further lines, e.g. the compiler's own diagnostics
  // The same thing as a Message, where the place that failed has one: what a window or a page tells in its
  // reader's language (told(), engine/base/message.h). Empty: message is all there is.
  std::shared_ptr<const Message> said{};

  // "file:line:column: message" with the parts that are known.
  std::string text() const;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  bool has_value() const { return state_.index() == 0; }

  T& value() & { return checked(), std::get<0>(state_); }
  const T& value() const& { return checked(), std::get<0>(state_); }
  T&& value() && { return checked(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<1>(state_); }

 private:
  void checked() const {
    if (!has_value()) throw std::logic_error("value of a failed Result: " + error().text());
  }
  std::variant<T, Error> state_;
};

// A Result without a value.
struct Done {};
using Status = Result<Done>;

}  // namespace warplens
