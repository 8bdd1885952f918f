// Tests the device's files: paths, errors, documents, and a state with contents.
import { describe, expect, it } from 'vitest';
import type { Values } from '../../value.ts';
import { Phone } from '../testing/phone.ts';
import type { FilesApp } from './app.ts';
import { sandbox } from './sandbox-tools.ts';
import { virtualFileSystem } from './virtual-tools.ts';

const STATE: Values = {
  files: {
    name: '',
    type: 'directory',
    children: [
      { name: 'b.txt', type: 'file', content: 'one\ntwo\nthree' },
      { name: 'a', type: 'directory', children: [{ name: 'c.bin', type: 'file', base64: 'AP8=' }] },
      { name: 'empty', type: 'file' },
    ],
  },
  tmpdir: '/somewhere',
};

function phone(app: FilesApp = sandbox('Files', 'Files')): Phone {
  app.loadState(STATE);
  return new Phone(1, app);
}
const missing = (path: string) => `FileNotFoundError: [Errno 2] No such file or directory: '/sandbox/${path}'`;

describe('paths', () => {
  it('are resolved within the sandbox, whatever their prefix', () => {
    const files = phone();
    for (const path of ['b.txt', '/b.txt', './b.txt', '/a/../b.txt', '///b.txt'])
      expect(files.call('Files.cat', { path })).toBe('one\ntwo\nthree');
    files.call('Files.makedirs', { path: '~/notes' });
    expect(files.call('Files.exists', { path: '/home/userhome/notes' })).toBe(true);
  });

  it('do not lead out, not even to a sibling whose name has the same prefix', () => {
    const files = phone();
    const refused = (path: string) => files.raised('Files.exists', { path });
    expect(refused('../x')).toBe('PermissionError: Operation not allowed outside sandbox: /x');
    expect(refused('/a/../../etc/passwd')).toBe('PermissionError: Operation not allowed outside sandbox: /etc/passwd');
    expect(refused('../sandbox2')).toBe('PermissionError: Operation not allowed outside sandbox: /sandbox2');
  });
});

describe('files', () => {
  it('are listed and drawn by name', () => {
    const files = phone();
    expect(files.call('Files.ls')).toEqual(['/a', '/b.txt', '/empty']);
    expect(files.call('Files.ls', { path: 'a', detail: true })).toEqual([{ name: '/a/c.bin', size: 2, type: 'file' }]);
    expect(files.call('Files.tree', { path: '/' })).toBe('/\n├── a\n    └── c.bin\n├── b.txt\n└── empty\n');
    expect(files.raised('Files.ls', { path: 'no' })).toBe(missing('no'));
  });

  it("have Linux's limits on length, and a limit on depth, so that no path overflows the stack", () => {
    const files = phone();
    const deep = Array(20_000).fill('a').join('/');
    for (const tool of ['makedirs', 'mkdir'])
      expect(files.raised(`Files.${tool}`, { path: deep })).toBe(
        `OSError: [Errno 36] File name too long: '/sandbox/${deep}'`,
      );
    expect(files.raised('Files.mkdir', { path: 'é'.repeat(128) })).toMatch(/^OSError: \[Errno 36\]/);
    const most = (name: string) => Array(250).fill(name).join('/');
    files.call('Files.makedirs', { path: most('x') });
    files.call('Files.makedirs', { path: most('y') });
    expect(files.call('Files.exists', { path: most('y') })).toBe(true);
    expect(files.raised('Files.mv', { path1: 'x', path2: most('y') })).toMatch(/^OSError: \[Errno 36\]/);
    expect(JSON.stringify(files.app('Files').getState()).match(/"x"/g)).toHaveLength(250);
  });

  it('are moved into a folder, over a file, and never into themselves', () => {
    const files = phone();
    files.call('Files.mv', { path1: 'b.txt', path2: 'a' });
    expect(files.call('Files.cat', { path: 'a/b.txt' })).toBe('one\ntwo\nthree');
    files.call('Files.mv', { path1: 'a/b.txt', path2: 'empty' });
    expect(files.call('Files.cat', { path: 'empty' })).toBe('one\ntwo\nthree');
    expect(files.raised('Files.mv', { path1: 'a', path2: 'a/inner' })).toBe(
      "Error: Cannot move a directory '/sandbox/a' into itself '/sandbox/a/inner'.",
    );
    expect(files.raised('Files.mv', { path1: 'no', path2: 'x' })).toBe(missing('no'));
    expect(files.raised('Files.mv', { path1: 'empty', path2: 'no/x' })).toBe(missing('no/x'));
    expect(files.call('Files.ls')).toEqual(['/a', '/empty']);
  });

  it('have the errors of Python', () => {
    const files = phone();
    expect([
      files.raised('Files.mkdir', { path: 'a' }),
      files.raised('Files.mkdir', { path: 'x/y', create_parents: false }),
      files.raised('Files.mkdir', { path: 'b.txt/y' }),
      files.raised('Files.rm', { path: 'a' }),
      files.raised('Files.cat', { path: 'a' }),
      files.raised('Files.open', { path: 'no' }),
      files.raised('Files.open', { path: 'b.txt', mode: 'q' }),
      files.raised('Files.open', { path: 'b.txt', mode: 'x' }),
    ]).toEqual([
      'FileExistsError: /sandbox/a',
      missing('x/y'),
      "NotADirectoryError: [Errno 20] Not a directory: '/sandbox/b.txt/y'",
      'ValueError: Cannot delete directory, set recursive=True',
      "IsADirectoryError: [Errno 21] Is a directory: '/sandbox/a'",
      missing('no'),
      "ValueError: invalid mode: 'q'",
      "FileExistsError: [Errno 17] File exists: '/sandbox/b.txt'",
    ]);
  });

  it('are made and emptied by opening them to write, which counts as a write', () => {
    const files = phone();
    files.call('Files.open', { path: 'b.txt', mode: 'r', anything: 1 });
    expect(files.log.at(-1)?.tool.operation).toBe('WRITE');
    files.call('Files.open', { path: 'b.txt', mode: 'w' });
    files.call('Files.open', { path: 'new', mode: 'a' });
    expect([files.call('Files.info', { path: 'b.txt' }), files.call('Files.exists', { path: 'new' })]).toEqual([
      { name: '/b.txt', size: 0, type: 'file' },
      true,
    ]);
  });

  it('are read as documents, up to a number of lines', () => {
    const files = phone();
    const read = (file_path: string, max_lines: number | null) =>
      files.call('Files.read_document', { file_path, max_lines });
    expect(read('b.txt', 2)).toBe('one\ntwo\n\n[Document truncated. Showing 2 of 3 lines]');
    expect(read('b.txt', null)).toBe('one\ntwo\nthree');
    expect(files.raised('Files.read_document', { file_path: 'empty' })).toBe(
      'FileNotFoundError: File not found or could not be read: empty. Error: File is empty: empty',
    );
    expect(files.raised('Files.read_document', { file_path: 'a/c.bin' })).toMatch(/^FileNotFoundError: .*no text/);
  });

  it('keep contents in the state, as text if they are text', () => {
    const files = phone();
    const state = files.app('Files').getState();
    expect(state).toEqual({ ...STATE, tmpdir: '/sandbox' });
    files.app('Files').loadState({ files: { name: '', type: 'directory', children: [] } });
    expect(files.call('Files.ls')).toEqual([]);
    const broken = { files: { name: '', type: 'directory', children: [{ name: '../x', type: 'file' }] } };
    expect(() => files.app('Files').loadState(broken)).toThrow(/no name of a file/);
  });

  it('have the older VirtualFileSystem tools, with rmdir', () => {
    const files = phone(virtualFileSystem('V'));
    expect(files.raised('V.rmdir', { path: 'a' })).toBe("OSError: [Errno 39] Directory not empty: '/sandbox/a'");
    files.call('V.rm', { path: 'a/c.bin' });
    files.call('V.rmdir', { path: 'a' });
    expect(files.call('V.ls')).toEqual(['/b.txt', '/empty']);
  });
});
