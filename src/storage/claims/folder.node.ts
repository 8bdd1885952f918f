// Claims in a folder that several machines may share. A claim is a file created by `link`, which succeeds for only one of several callers,
// also on NFS; its content never changes. The holder's heartbeat is a second file. A claim with a vanished holder is removed by `rename`,
// which also succeeds for only one caller, and the renamed file is checked before it counts.
import { randomUUID } from 'node:crypto';
import { link, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diskError, isPlainFile, namesIn, readOrNull, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { hasEnded, takeFile, thisProcess } from '@projected-grpo-lab/base/files/lock.node.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import * as z from 'zod/mini';
import { FIRST_BEAT, startBeat, stepOf } from './beat.node.ts';
import { BEATS_PER_LEASE, type Claim, type Claims, type Holder, LEASE_MS, type OnLost, Silence } from './claims.ts';

const Held = z.object({
  token: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  worker: z.string().check(z.maxLength(300)),
  pid: z.int().check(z.positive()),
  host: z.string().check(z.maxLength(255)),
  began: z.nullable(z.string().check(z.maxLength(40))),
});
type Held = z.infer<typeof Held>;

interface FolderClaimsOptions {
  lease?: number;
  onLost?: OnLost;
  /** Milliseconds of a steady clock. */
  now?: () => number;
}

/** A plain name, which cannot point outside the folder. */
const ID = /^[\w-]{1,100}$/;

export function folderClaims(
  path: string,
  { lease = LEASE_MS, onLost = async () => {}, now = () => performance.now() }: FolderClaimsOptions = {},
): Claims {
  const silence = new Silence(lease);
  const file = (id: string) => join(path, id);
  const beatFile = (id: string, token: string) => join(path, `${id}.${token}.beat`);

  /** Null if the file no longer exists; an unreadable file has no holder. */
  const heldAt = async (id: string): Promise<{ text: string; held: Held | null } | null> => {
    const bytes = (await isPlainFile(file(id))) ? await readOrNull(file(id)) : null;
    if (bytes === null) return null;
    const text = bytes.toString();
    try {
      return { text, held: Held.parse(parseJsonText(text)) };
    } catch {
      return { text, held: null };
    }
  };
  const beatOf = async (id: string, { token }: Held) => (await readOrNull(beatFile(id, token)))?.toString() ?? '';

  /** Removes a claim whose holder has vanished. Returns false if it has become another claim. */
  const takeAway = async (id: string, text: string, held: Held | null, beat: string): Promise<boolean> => {
    const away = join(path, `.${id}.${randomUUID()}.away`);
    try {
      await rename(file(id), away);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
      throw diskError(error, file(id));
    }
    const moved = (await readOrNull(away))?.toString();
    if (moved !== text) {
      // Another worker was faster: its claim is put back.
      await link(away, file(id)).catch(() => {});
      await rm(away, { force: true });
      return false;
    }
    if (held) {
      await onLost({ id, worker: held.worker, step: stepOf(beat), token: held.token });
      await rm(beatFile(id, held.token), { force: true });
    }
    await rm(away, { force: true });
    silence.forget(id);
    return true;
  };

  return {
    async claim(id): Promise<Claim | null> {
      if (!ID.test(id)) throw new RangeError(`a claim's id is a plain name, got ${JSON.stringify(id)}`);
      const found = await heldAt(id);
      if (found) {
        const { text, held } = found;
        const beat = held ? await beatOf(id, held) : '';
        const isGone = (held && hasEnded(held)) || silence.isOver(id, text + beat, now());
        if (!isGone || !(await takeAway(id, text, held, beat))) return null;
      }
      const own = thisProcess();
      const token = randomUUID().replaceAll('-', '');
      const held: Held = { token, worker: `${own.host}:${own.pid}`, ...own };
      await writeWhole(beatFile(id, token), FIRST_BEAT);
      let isOurs = false;
      try {
        isOurs = await takeFile(file(id), `${JSON.stringify(held)}\n`);
      } finally {
        if (!isOurs) await rm(beatFile(id, token), { force: true });
      }
      if (!isOurs) return null;
      const beat = startBeat({ claim: file(id), token, beat: beatFile(id, token) }, lease / BEATS_PER_LEASE);
      return {
        id,
        at: beat.at,
        isLost: beat.isLost,
        async release() {
          await beat.stop();
          const now = await heldAt(id);
          if (now?.held?.token === token) await rm(file(id), { force: true });
          await rm(beatFile(id, token), { force: true });
        },
      };
    },

    async holders(): Promise<Holder[]> {
      const found: Holder[] = [];
      for (const id of (await namesIn(path)).filter((name) => ID.test(name))) {
        const held = (await heldAt(id))?.held;
        if (!held) continue;
        found.push({ id, worker: held.worker, step: stepOf(await beatOf(id, held)), hasEnded: hasEnded(held) });
      }
      return found;
    },
  };
}
