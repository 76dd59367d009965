// Linked into the program in builds with a sanitizer alone. GLFW unloads the OpenGL driver when the window
// closes; what that driver keeps until then is reported afterwards as the leak of an unknown module, which
// no suppression can name. Modules stay until the process ends, so leaks.txt can.
extern "C" __attribute__((visibility("default"))) int dlclose(void*) noexcept {
  return 0;
}
