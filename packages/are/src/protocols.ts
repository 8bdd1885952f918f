// How one app finds another without knowing its class: by a protocol that the other provides. The first provider wins.

/** A file system of the simulated device. Paths are rooted in its sandbox. */
export interface FileSystem {
  /** As the tool `exists`: the call is logged. */
  exists(path: string): boolean;
  /** Throws FileNotFoundError. */
  read(path: string): Uint8Array;
  /** Replaces what was there. Throws FileNotFoundError where the folder is not there. */
  write(path: string, contents: Uint8Array): void;
}

export interface Protocols {
  FILE_SYSTEM: FileSystem;
}
export type Protocol = keyof Protocols;
