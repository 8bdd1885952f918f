// A full disk for tests: it writes half of the data and fails on the rest.
type Disk = typeof import('node:fs/promises');

export const disk = { isFull: false };

/** For `vi.mock('node:fs/promises', …)`. */
export const withFullDisk = (real: Disk): Disk => ({
  ...real,
  async open(...args) {
    const file = await real.open(...args);
    const write = file.writeFile.bind(file);
    file.writeFile = async (data) => {
      if (!disk.isFull) return write(data);
      await write(String(data).slice(0, String(data).length >> 1));
      throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' });
    };
    return file;
  },
});
