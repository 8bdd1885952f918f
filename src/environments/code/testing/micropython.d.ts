// The package ships no types; this is what the project uses of it.
declare module '@micropython/micropython-webassembly-pyscript/micropython.mjs' {
  export function loadMicroPython(options?: {
    stdout?: (line: string) => void;
    linebuffer?: boolean;
  }): Promise<{ runPython(code: string): unknown }>;
}
