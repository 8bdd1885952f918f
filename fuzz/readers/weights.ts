// Files of tensors: weights, hack bases, exported adapter parameters, a pretraining's state; and ONNX.
import { readTrainerState, writeTrainerState } from '../../src/cli/make/trainer-state.ts';
import { weightShapes } from '../../src/engine/weight-names.ts';
import { joinParts } from '../../src/lib/streams.ts';
import { readBasisFile, writeBasisFile } from '../../src/storage/basis-file.ts';
import { readCheckpointFile, writeCheckpointFile } from '../../src/storage/checkpoint-file.ts';
import { decoderOnnx } from '../../src/storage/onnx/decoder.ts';
import { floatsOf, operatorsOf } from '../../src/storage/onnx/read.ts';
import { bytesSource, SafetensorsFile } from '../../src/storage/safetensors.ts';
import { writeSafetensors } from '../../src/storage/safetensors-write.ts';
import type { Reader } from '../judge.ts';
import { mutateBytes } from '../mutate.ts';
import { CONFIG, LAYOUT, mutateSafetensors, SHA, tensor } from './made.ts';

const PLAIN = writeSafetensors(
  new Map([
    ['a', tensor([2, 3])],
    ['b', tensor([4], 'F16')],
    ['empty', tensor([0])],
  ]),
  { made: 'here' },
);

const BASIS = writeBasisFile(
  new Map(
    LAYOUT.modules.map(({ name, r }) => {
      const V = new Float32Array(2 * r);
      V[0] = 1;
      V[r + 1] = 1;
      return [name, { k: 2, r, V, S: Float32Array.of(2, 1) }];
    }),
  ),
  { k: 2, nPairs: 8, modelSha256: SHA },
);

const ADAPTER_PARAMS = writeCheckpointFile(LAYOUT, {
  deltaS: new Float32Array(LAYOUT.total).fill(0.5),
  deltaSHack: new Float32Array(LAYOUT.total),
});

const weights = new Map([['w', { shape: [2, 2], data: Float32Array.of(1, 2, 3, 4) }]]);
const moments = new Map([['w', Float32Array.of(1, 2, 3, 4)]]);
const STATE = writeTrainerState({ step: 3, weights, m: moments, v: moments }, 'settings');

const WEIGHTS = new Map(
  [...weightShapes(CONFIG)].map(([name, shape]) => {
    const { data } = tensor(shape);
    return [name, { shape, data: data as Float32Array }];
  }),
);
const ONNX = joinParts(decoderOnnx(CONFIG, WEIGHTS).model);

export const WEIGHT_READERS: readonly Reader[] = [
  {
    name: 'safetensors',
    what: 'any file of tensors',
    good: PLAIN,
    make: (random) => mutateSafetensors(PLAIN, random),
    async read(input) {
      const file = await SafetensorsFile.open(bytesSource(input), 'x.safetensors');
      for (const name of file.tensors.keys()) await file.readF32(name);
    },
  },
  {
    name: 'basis',
    what: 'a hack basis that was dropped or named',
    good: BASIS,
    make: (random) => mutateSafetensors(BASIS, random),
    read: (input) => readBasisFile(bytesSource(input), LAYOUT, { label: 'basis', modelSha256: SHA, anyAdapter: true }),
  },
  {
    name: 'adapterParams',
    what: 'exported adapter',
    good: ADAPTER_PARAMS,
    make: (random) => mutateSafetensors(ADAPTER_PARAMS, random),
    read: (input) => readCheckpointFile(bytesSource(input), LAYOUT, 'adapterParams'),
  },
  {
    name: 'trainer-state',
    what: 'what a pretraining goes on from',
    good: STATE,
    make: (random) => mutateSafetensors(STATE, random),
    read: (input) => readTrainerState(bytesSource(input), 'state', 'settings'),
  },
  {
    name: 'onnx',
    what: 'an ONNX file, read without a runtime',
    good: ONNX,
    make: (random) => mutateBytes(ONNX, random),
    read(input) {
      operatorsOf(input);
      floatsOf(input);
    },
  },
];
