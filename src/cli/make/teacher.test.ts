// `teacher --model`: a model without a chat template is refused before anything is written.
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callCommand } from '../testing/call.ts';
import { teacher } from './teacher.ts';

it('refuses a model without a chat template before it is trained', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'teacher-'));
  try {
    const [model, out] = [join(folder, 'bare'), join(folder, 'out')];
    await cp('public/models/tiny-coder', model, { recursive: true });
    await rm(join(model, 'manifest.json'));
    const path = join(model, 'tokenizer_config.json');
    const { chat_template: _, ...config } = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify(config));
    const argv = ['--model', model, '--out', out, '--steps', '1', '--batch', '1', '--problems', '6', '--samples', '1'];
    await expect(callCommand(teacher, [...argv, '--rounds', '1', '--device', 'cpu'])).rejects.toThrow(
      /bare has no chat template/,
    );
    expect(existsSync(join(out, 'config.json'))).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});
