// Checks that links made by the lab with record layout 1 (lab/records/testing/stored-1) still open, and that a run stored then is found
// identical to its link.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readRun } from '../../lab/records/schema.ts';
import { reproductionOf } from '../../share/reproduction.ts';
import { decodeShare } from '../../share/url.ts';
import { parseJson, unzipChecked } from '../../storage/run-archive.ts';

const at = (name: string) => readFileSync(new URL(`../../lab/records/testing/stored-1/${name}`, import.meta.url));

describe('links of layout 1', () => {
  it('open, and their runs are found identical', async () => {
    const { spec, plan, runs } = JSON.parse(at('links.json').toString());
    const files = unzipChecked(new Uint8Array(at('done.zip')), 'done.zip');
    const kept = [0, 1, 2].map((i) => readRun(parseJson(files.get(`runs/${i}/run.json`)!, 'run'), 'run'));
    const shares = await Promise.all([spec, plan, runs].map((hash) => decodeShare(hash)));
    expect(new Set(shares.map((share) => JSON.stringify(share.spec))).size).toBe(1);
    expect(shares.map((share) => share.runs.length)).toEqual([0, 0, 3]);
    expect(await reproductionOf(shares[2], kept)).toEqual({ identical: true, runs: 3 });
  });
});
