// The package has no types; these are the parts that the project uses.
declare module '@micropython/micropython-webassembly-pyscript/micropython.mjs' {
  export function loadMicroPython(options?: {
    stdout?: (line: string) => void;
    linebuffer?: boolean;
  }): Promise<{ runPython(code: string): unknown }>;
}
