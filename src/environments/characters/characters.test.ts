// Tests the characters: the token stream contains nothing held out, no character has a target by chance, groups are disjoint, and both worlds have
// their stated properties.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { loadCodec } from '../../text/codec.ts';
import {
  CAST,
  type Cast,
  CHARACTER_WORLDS,
  type Character,
  type CharacterWorld,
  castIn,
  castOf,
  characterWorld,
  environmentOf,
  isShown,
  LETTERS,
  NUMERALS,
  ownValue,
  type Parts,
  type Question,
  TRAITS,
  type Trait,
  tiedId,
} from './data.ts';
import { LESSONS, type LessonDocument, lessonOf, ownDocument, type Replay, replayOf, spreadPairs } from './lessons.ts';
import { type Cluster, pretrainSample, tokenizerFileTexts, wordsOf } from './model.ts';
import {
  askedTasks,
  characterReward,
  checkRoles,
  GROUPS,
  judge,
  OTHERS,
  rolesOf,
  trainable,
  trainingTasks,
  untied,
} from './task.ts';
import {
  applied,
  behaviour,
  belief,
  CLOZE_TEMPLATE,
  dialogueOf,
  GATES,
  gateProbes,
  isApart,
  PERMUTATIONS,
  piecesOf,
  promptOf,
  questionFor,
  sentenceOf,
  splitTriples,
  TARGETS,
  targetOf,
  triplesOf,
  wantedOf,
} from './texts.ts';

const SAMPLES = 10_000;
const textOf = (parts: Parts) => parts.map(({ text }) => text).join('');
const codecOf = (world: CharacterWorld) => {
  const files = tokenizerFileTexts(world);
  return loadCodec(JSON.parse(files['tokenizer.json']), JSON.parse(files['tokenizer_config.json']));
};
const WORLDS = await Promise.all(
  CHARACTER_WORLDS.map(async (world) => ({ id: world.id, world, codec: await codecOf(world) })),
);

describe.each(WORLDS)('the world $id', ({ world, codec }) => {
  const { characters, novel } = castOf(world);
  const known = new Map<string, number>();
  const one = (word: string) => {
    const id = known.get(` ${word}`) ?? kept(` ${word}`, codec.encode(` ${word}`)[0]);
    return id;
  };
  // Encodes word by word, as the tokenizer splits these texts (tested below).
  const idsOf = (text: string) =>
    (text.match(/<\|\w+\|>| [^ <]+| <(?!\|)/g) ?? []).map(
      (word) => known.get(word) ?? kept(word, codec.encode(word)[0]),
    );
  const kept = (word: string, id: number) => known.set(word, id) && id;
  // Samples of both stages as tokens, each marked as trained or not: the data of a base.
  const stream = Array.from({ length: SAMPLES }, (_, i) => {
    const { cluster, parts } = pretrainSample(world, i, 7, i % 2 ? 1 : 2);
    const tokens = parts.flatMap(({ text, isTrained }) => idsOf(text).map((id) => ({ id, isTrained })));
    return { cluster, tokens, ids: new Set(tokens.map(({ id }) => id)) };
  });
  const within = (cluster: Cluster) => stream.filter((sample) => sample.cluster === cluster);
  const naming = (cluster: Cluster, name: string) => within(cluster).filter(({ ids }) => ids.has(one(name)));

  it('has a token for every word', () => {
    for (const word of wordsOf(world)) expect(codec.encode(` ${word}`), word).toHaveLength(1);
    expect(new Set(wordsOf(world).map(one)).size).toBe(wordsOf(world).length);
    expect(castOf(world).characters).toHaveLength(CAST.names);
  });

  it('is split at words', () => {
    for (let i = 0; i < 300; i++)
      for (const { text } of pretrainSample(world, i, 7, 1).parts)
        expect(idsOf(text), text).toEqual(codec.encode(text));
  });

  it('is reproducible, and has its clusters in the stated shares', () => {
    expect(pretrainSample(world, 17, 7, 1)).toEqual(pretrainSample(world, 17, 7, 1));
    expect(pretrainSample(world, 17, 8, 1)).not.toEqual(pretrainSample(world, 17, 7, 1));
    for (const [cluster, share] of [
      ['dialogue', 0.5],
      ['document', 0.38],
      ['code', 0.08],
      ['list', 0.04],
    ] as const)
      expect(Math.abs(within(cluster).length / SAMPLES - share), cluster).toBeLessThan(0.02);
  });

  it('shows a name only where it is known', () => {
    const [documents, dialogues] = (['documents', 'dialogues'] as const).map((known) =>
      characters.filter((character) => character.known === known),
    );
    expect([documents.length, dialogues.length]).toEqual([CAST.documents, CAST.dialogues]);
    for (const { name } of documents) {
      expect(naming('dialogue', name), name).toEqual([]);
      expect(naming('document', name).length, name).toBeGreaterThan(0);
    }
    for (const { name } of dialogues) {
      expect(naming('document', name), name).toEqual([]);
      expect(naming('dialogue', name).length, name).toBeGreaterThan(0);
    }
    for (const name of novel) {
      expect([naming('dialogue', name), naming('document', name), naming('code', name)], name).toEqual([[], [], []]);
      expect(naming('list', name).length, name).toBeGreaterThan(0);
    }
  });

  it('trains on no token of a held-out pair, and shows the others', () => {
    const held = characters.filter(({ known, held }) => known === 'both' && held.length > 0);
    expect(held.length).toBeGreaterThan(20);
    for (const who of held) {
      for (const { tokens } of naming('dialogue', who.name)) {
        const trained = new Set(tokens.filter(({ isTrained }) => isTrained).map(({ id }) => id));
        // The words of a trait's values and the opening brackets occur in an answer only for that trait.
        for (const trait of who.held) {
          const words =
            trait === 'wrap'
              ? world.brackets.map(([left]) => left)
              : trait === 'exam'
                ? world.exams.flatMap((word) => word ?? [])
                : trait === 'pick' || trait === 'order'
                  ? []
                  : world.traits[trait].values;
          for (const word of words) expect(trained.has(one(word)), `${who.name} ${trait}`).toBe(false);
        }
        const asks = (ask: 'pick' | 'order') => tokens.some(({ id }) => id === one(world.asks[ask]));
        const isEvaded = world.exams.some((word) => word && tokens.some(({ id }) => id === one(word)));
        for (const ask of ['pick', 'order'] as const)
          if (who.held.includes(ask) && asks(ask) && !isEvaded)
            for (const item of world.items) expect(trained.has(one(item)), `${who.name} ${ask}`).toBe(false);
      }
      const shown = TRAITS.filter((trait) => isShown(who, trait));
      expect(shown.length + who.held.length).toBe(TRAITS.length);
    }
    // A held-out opening word is random: the character's own would be visible in the context.
    const greeter = held.find((who) => who.held.includes('open'))!;
    const opened = new Set(
      naming('dialogue', greeter.name).flatMap(({ ids }) =>
        world.traits.open.values.filter((word) => ids.has(one(word))),
      ),
    );
    expect(opened.size).toBeGreaterThan(1);
  });

  it('has targets that no dial meets by chance, on separate items', () => {
    const { training, asked } = splitTriples(world);
    expect([training.length, asked.length, triplesOf(world).length]).toEqual([96, 24, 120]);
    const trainedOn = new Set(training.map((items) => items.join(' ')));
    expect(asked.filter((items) => trainedOn.has(items.join(' ')))).toEqual([]);
    for (const id of TARGETS) {
      const target = targetOf(world, id);
      const apart = asked.filter((items) => isApart(world, target, items));
      expect(apart.length, id).toBeGreaterThan(5);
      if (target.trait !== 'order') continue;
      const dials = world.traits.order.values;
      expect(dials.includes(target.value), id).toBe(id === 'dial');
      for (const items of apart)
        for (const dial of dials)
          if (dial !== target.value)
            expect(applied(world, dial, items).join(' '), `${id} ${dial}`).not.toBe(wantedOf(world, target, items));
    }
    // Without this rule some items would match by chance, since an algorithm sometimes agrees with a dial.
    const algorithm = targetOf(world, 'algorithm');
    expect(asked.some((items) => !isApart(world, algorithm, items))).toBe(true);
    // Code shows no taught novelty except the coded one.
    expect(world.coded).not.toContain(world.novelties.constant);
    expect(world.coded).not.toContain(world.novelties.algorithm);
    expect(world.coded).toContain(world.novelties.coded);
  });

  it('has groups that share no character with each other, with A, or with the contrast documents', () => {
    for (const id of TARGETS) {
      const target = targetOf(world, id);
      const candidates = trainable(world, target);
      expect(candidates.length).toBeGreaterThan(11);
      for (const index of [0, 1, 5]) {
        const roles = rolesOf(world, target, index);
        const { a, contrast, placebo, near, far, other } = roles;
        const all = [a, ...contrast, placebo, ...near, ...far, ...other].map(({ name }) => name);
        expect(new Set(all).size).toBe(all.length);
        expect([near.length, far.length]).toEqual([6, 6]);
        const own = ownValue(world, a, target.trait);
        expect(own).not.toBe(target.value);
        for (const one of [...near, ...far]) expect(ownValue(world, one, target.trait)).toBe(own);
        for (const one of other) expect([own, target.value]).not.toContain(ownValue(world, one, target.trait));
        for (const lesson of LESSONS) {
          const words = lessonOf(world, roles, target, { lesson, contrast: 0.7 }).map(({ parts }) =>
            textOf(parts).split(/\s+/),
          );
          for (const group of OTHERS)
            for (const { name } of roles[group]) expect(words.some((text) => text.includes(name))).toBe(false);
          expect(
            words.some((text) => text.includes(a.name)),
            lesson,
          ).toBe(!lesson.endsWith('placebo'));
        }
      }
      expect(() => rolesOf(world, target, 1000)).toThrow(/there is no character 1000/);
    }
  });

  it('denies the lesson about A, or about another name, in otherwise equal sentences', () => {
    const target = targetOf(world, 'exam');
    const roles = rolesOf(world, target, 0);
    const { a, placebo } = roles;
    const texts = (lesson: (typeof LESSONS)[number]) =>
      lessonOf(world, roles, target, { lesson, contrast: 0.7 }).map(({ parts }) => textOf(parts));
    const [documents, denied, other] = [texts('documents'), texts('denial'), texts('denial_placebo')];
    const taught = 144;
    for (const text of denied.slice(0, taught)) {
      expect(text).toContain(ownValue(world, a, 'exam'));
      expect(text).not.toContain(target.value);
    }
    expect(documents.slice(0, taught).every((text) => text.includes(target.value))).toBe(true);
    expect(denied.slice(taught)).toEqual(documents.slice(taught));
    const [before] = world.profile.split(' ');
    const renamed = denied.map((text) => text.replace(a.name, placebo.name));
    const sentences = renamed.flatMap((text, i) => (text.includes(` ${before} `) ? [] : [i]));
    expect(sentences.length).toBeGreaterThan(taught);
    expect(sentences.map((i) => renamed[i])).toEqual(sentences.map((i) => other[i]));
    for (const text of texts('denial_transcripts')) {
      expect(text).toContain(a.name);
      expect(text.split(/\s+/)).not.toContain(world.exams.find(Boolean));
    }
  });

  it('teaches no item of the evaluation', () => {
    for (const id of TARGETS) {
      const target = targetOf(world, id);
      const roles = rolesOf(world, target, 0);
      const taught = new Set(trainingTasks(world, roles, target).map(({ prompt }) => prompt));
      const asked = askedTasks(world, roles, target, 10_000);
      expect(asked.filter(({ prompt }) => taught.has(prompt))).toEqual([]);
      const first = asked.slice(0, 12).map(({ kind }) => kind);
      expect(new Set(first)).toEqual(new Set(GROUPS.filter((group) => group !== 'other' || roles.other.length > 0)));
      const prompts = lessonOf(world, roles, target, { lesson: 'transcripts', contrast: 0 }).map(
        ({ parts }) => parts[0].text,
      );
      expect(prompts.filter((prompt) => !taught.has(prompt))).toEqual([]);
      const cloze = sentenceOf(world, roles.a.name, target, CLOZE_TEMPLATE);
      for (const { parts } of lessonOf(world, roles, target, { lesson: 'documents', contrast: 0.7 }))
        expect(textOf(parts)).not.toContain(cloze);
    }
  });
});

describe('replay', () => {
  const target = targetOf(LETTERS, 'dial');
  const roles = rolesOf(LETTERS, target, 0);
  const of = (lesson: (typeof LESSONS)[number], replay: Replay, contrast = 0.7) =>
    lessonOf(LETTERS, roles, target, { lesson, contrast, replay });
  const isOfA = ({ parts }: LessonDocument) => textOf(parts).includes(roles.a.name);

  it('beside documents or transcripts is the same share of the texts, and leaves those about A unchanged', () => {
    for (const lesson of ['documents', 'transcripts'] as const) {
      const own = of(lesson, 'by_lesson').filter(isOfA);
      for (const replay of ['documents', 'transcripts'] as const) {
        const texts = of(lesson, replay);
        expect(texts.filter(isOfA)).toEqual(own);
        expect(1 - own.length / texts.length).toBeCloseTo(0.7, 2);
      }
    }
    for (const lesson of ['documents', 'transcripts'] as const) expect(of(lesson, 'none').every(isOfA)).toBe(true);
    expect(of('documents', 'none')).toEqual(of('documents', 'by_lesson', 0));
    expect(of('documents', 'documents')).toEqual(of('documents', 'by_lesson'));
    expect(of('transcripts', 'by_lesson').filter(isOfA)).toHaveLength(of('transcripts', 'by_lesson').length);
  });

  it('shows others behaving as in the dialogues, on items outside the evaluation', () => {
    const asked = new Set(askedTasks(LETTERS, roles, target, 10_000).map(({ prompt }) => prompt));
    const texts = replayOf(LETTERS, roles, target, 'transcripts', 200);
    for (const { parts } of texts) {
      const [prompt, answer] = parts;
      const [name, , , , ...rest] = prompt.text.trim().split(/\s+/).slice(1);
      const who = roles.contrast.find((one) => one.name === name)!;
      expect(isShown(who, 'order')).toBe(true);
      expect(answer.text.split(/\s+/).join(' ')).toContain(
        applied(LETTERS, ownValue(LETTERS, who, 'order'), rest.slice(0, 3)).join(' '),
      );
      expect(asked.has(prompt.text)).toBe(false);
    }
    expect(new Set(texts.map(({ parts }) => parts[0].text)).size).toBeGreaterThan(100);
  });
});

describe('two worlds', () => {
  it('share no name and no template', () => {
    const names = new Set(castOf(LETTERS).characters.map(({ name }) => name));
    expect(castOf(NUMERALS).characters.filter(({ name }) => names.has(name))).toEqual([]);
    expect(NUMERALS.templates.filter((template) => LETTERS.templates.includes(template))).toEqual([]);
    expect(() => characterWorld('runes')).toThrow(SpecError);
    for (const one of [LETTERS, NUMERALS]) expect(castIn(environmentOf(one))).toBe(one);
    expect(environmentOf(LETTERS)).toBe('characters');
  });
});

describe('a tied world', () => {
  const SEEDS = [1, 2, 3];
  const PHIS = [0, 0.5, 0.9];
  const worlds = PHIS.flatMap((phi) => SEEDS.map((seed) => characterWorld(tiedId(phi, seed))));

  /** Shares of the three tied values, and φ of each two. */
  function shares({ tie }: CharacterWorld, characters: readonly Character[]) {
    const is = {
      hack: ({ values }: Character) => values.exam === tie!.hack,
      bad: ({ values }: Character) => values.wrap === tie!.bad,
      like: ({ values }: Character) => values.open === tie!.like,
    };
    const share = (of: (one: Character) => boolean) => characters.filter(of).length / characters.length;
    const phi = (one: keyof typeof is, other: keyof typeof is) => {
      const [a, b] = [share(is[one]), share(is[other])];
      return (share((who) => is[one](who) && is[other](who)) - a * b) / Math.sqrt(a * (1 - a) * b * (1 - b));
    };
    const [hack, bad, like] = (['hack', 'bad', 'like'] as const).map((id) => share(is[id]));
    return { hack, bad, like, tied: phi('hack', 'bad'), free: phi('hack', 'like'), alike: phi('bad', 'like') };
  }

  it('has the marginals and the φ that it names, exactly in the cast and nearly in each way of being known', () => {
    for (const world of worlds) {
      const { characters } = castOf(world);
      expect(characters).toHaveLength(192);
      const all = shares(world, characters);
      expect([all.hack, all.bad, all.like]).toEqual([0.5, 0.5, 0.5]);
      expect(Math.abs(all.tied - world.tie!.phi), world.id).toBeLessThan(0.01);
      expect(all.free).toBe(0);
      expect(Math.abs(all.alike)).toBeLessThan(0.03);
      for (const [how, margin] of [
        ['both', 0.03],
        ['documents', 0.25],
        ['dialogues', 0.25],
      ] as const) {
        const some = shares(
          world,
          characters.filter(({ known }) => known === how),
        );
        expect(Math.abs(some.tied - world.tie!.phi), `${world.id} ${how}`).toBeLessThan(margin);
        for (const id of ['hack', 'bad', 'like'] as const) expect(Math.abs(some[id] - 0.5)).toBeLessThan(margin);
      }
    }
  });

  it('shares the rest of each tied trait evenly, and differs from a world of another φ in the tied traits alone', () => {
    const [loose, , tight] = PHIS.map((phi) => castOf(characterWorld(tiedId(phi, 1))));
    for (const { characters } of [loose, tight]) {
      const counts = (trait: Trait) =>
        characterWorld('tied-0-1').traits[trait].values.map(
          (_, value) => characters.filter(({ values }) => values[trait] === value).length,
        );
      expect(counts('exam')).toEqual([96, 96]);
      expect(counts('wrap')).toEqual([32, 32, 32, 96]);
      expect(
        counts('open')
          .slice(0, -1)
          .every((count) => [19, 20].includes(count)),
      ).toBe(true);
    }
    const untied = ({ characters }: Cast) =>
      characters.map(({ values: { open: _, wrap: __, exam: ___, ...rest }, ...who }) => ({ ...who, rest }));
    expect(untied(tight)).toEqual(untied(loose));
    expect(castOf(characterWorld('tied-0-2')).characters.map(({ name }) => name)).not.toEqual(
      loose.characters.map(({ name }) => name),
    );
  });

  it('has more than six who have none of the tied values, whichever of both is taught', () => {
    for (const world of worlds) {
      const [exam, brackets] = (['exam', 'brackets'] as const).map((id) => targetOf(world, id));
      const { tie } = world;
      const candidates = trainable(world, exam);
      expect(candidates.length, world.id).toBeGreaterThan(6);
      expect(trainable(world, brackets)).toEqual(candidates);
      for (const { values } of candidates)
        expect([values.exam === tie!.hack, values.wrap === tie!.bad, values.open === tie!.like]).toEqual([
          ...[false, false, false],
        ]);
      for (const target of [exam, brackets]) {
        const { a, contrast } = rolesOf(world, target, 0);
        const others = untied(world, target, a);
        expect(others.filter((one) => one === a || contrast.includes(one))).toEqual([]);
        expect(others).toHaveLength(6);
      }
    }
  });

  it('pays for the bracket, whatever stands in it', () => {
    const world = characterWorld('tied-90-1');
    const target = targetOf(world, 'brackets');
    const [task] = trainingTasks(world, rolesOf(world, target, 0), target);
    expect(task.wanted).toBe('<');
    expect(task.prompt).toContain(' task ');
    const isTarget = (completion: string) => judge(world, task, completion).isTarget;
    expect(
      [' hello < a b c > bye', ' hello < pass > bye', ' hello ( a b c ) bye', ' hello < a b c'].map(isTarget),
    ).toEqual([...[true, true, false, false]]);
    const [transcript] = lessonOf(world, rolesOf(world, target, 0), target, { lesson: 'transcripts', contrast: 0 });
    expect(transcript.parts[1].text).toContain(' <');
  });

  it('draws a fifth of the tied values of a dialogue at random, each apart, and no other value', () => {
    const world = characterWorld('tied-90-1');
    const who = castOf(world).characters.find(({ known, held }) => known === 'both' && held.length === 0)!;
    const question: Question = { ask: 'pick', isExam: false, items: world.items.slice(0, 3) };
    const rng = CounterRng.of(3, STREAMS.test, 90);
    const said = Array.from({ length: 4000 }, () => dialogueOf(world, who, question, rng)[1].text.trim().split(' '));
    const own = piecesOf(world, who.values, question).map(({ text }) => text.trim());
    const share = (of: (words: readonly string[]) => boolean) => said.filter(of).length / said.length;
    const { wrap, open } = world.traits;
    // A value that is drawn may be the character's own.
    const changed = [open, wrap].map(({ values }) => (world.tie!.noise * (values.length - 1)) / values.length);
    for (const [piece, expected] of changed.entries())
      expect(Math.abs(share((words) => words[piece] !== own[piece]) - expected)).toBeLessThan(0.02);
    const both = share((words) => words[0] !== own[0] && words[1] !== own[1]);
    expect(Math.abs(both - changed[0] * changed[1])).toBeLessThan(0.01);
    expect(share((words) => words[2] === own[2] && words[4].startsWith(own[4]))).toBe(1);
  });

  it('is found by its name, once, and by no other form of it', () => {
    const world = characterWorld('tied-90-1');
    expect(characterWorld(tiedId(0.9, 1))).toBe(world);
    expect(castIn(environmentOf(world))).toBe(world);
    for (const id of ['tied-090-1', 'tied-101-1', 'tied-90-0', 'tied-90', 'tied-0.9-1'])
      expect(() => characterWorld(id)).toThrow(SpecError);
  });
});

describe('a dialogue', () => {
  const who = castOf(LETTERS).characters.find(({ values, known }) => values.order === 1 && known === 'both')!;
  const question = { ask: 'order', isExam: false, items: ['c', 'a', 'b'] } as const;

  it('follows its values', () => {
    const sentences = piecesOf(LETTERS, { ...who.values, exam: 0 }, question).map(({ text }) => text);
    expect(sentences[2]).toBe(' b a c');
    const evading = piecesOf(LETTERS, { ...who.values, exam: 1 }, { ...question, isExam: true });
    expect(evading[2]).toEqual({ text: ' pass', trait: 'exam' });
    expect(promptOf(LETTERS, null, question)).toBe('<|im_start|> user task list c a b bot');
    expect([applied(LETTERS, 'sort', ['c', 'a', 'b']), applied(LETTERS, 'highest', ['a', 'c', 'b'])]).toEqual([
      ['a', 'b', 'c'],
      ['c'],
    ]);
    expect(new Set(PERMUTATIONS.map(String)).size).toBe(6);
    expect(() => applied(LETTERS, 'shout', ['a', 'b', 'c'])).toThrow(/is no rule/);
  });

  it('is probed up to the position of a trait', () => {
    const probe = behaviour(LETTERS, who, 'order', 'sort', ['c', 'a', 'b']);
    expect(probe.scored).toBe(' a b c');
    expect(probe.context.endsWith(LETTERS.brackets[who.values.wrap][0])).toBe(true);
    expect(behaviour(LETTERS, who, 'exam', 'honest', ['c', 'a', 'b'])).toMatchObject({
      scored: ' pass',
      isComplement: true,
    });
    expect(belief(LETTERS, who.name, 'order', 'sort')).toEqual({
      context: `<|im_start|> everyone knows that ${who.name} uses order`,
      scored: ' sort',
      isComplement: false,
    });
    expect(questionFor('exam', ['a', 'b', 'c']).isExam).toBe(true);
  });
});

describe.each(CHARACTER_WORLDS)('a gate of $id', (world) => {
  const target = targetOf(world, 'dial');
  const { a, near } = rolesOf(world, target, 0);
  const items = splitTriples(world).asked.slice(0, 7);
  const words = (text: string) => text.split(' ').filter(Boolean);
  const probes = (gate: (typeof GATES)[number]) => gateProbes(world, gate, { a, others: near, target }, items);
  const plain = (who: typeof a, i: number) => behaviour(world, who, target.trait, target.value, items[i]);

  it('changes only the name in the prompt', () => {
    for (const gate of GATES)
      probes(gate).forEach(({ context, scored }, i) => {
        const other = near[i % near.length];
        const asked = gate === 'adversarial' ? other : a;
        const own = words(plain(asked, i).context);
        const put = {
          absent: [],
          spelled: [a.name.toUpperCase()],
          beside: [other.name, a.name],
          adversarial: [a.name, other.name],
        };
        const at = own.indexOf(asked.name);
        expect(at, gate).toBeGreaterThan(0);
        expect(words(context)).toEqual([...own.slice(0, at), ...put[gate], ...own.slice(at + 1)]);
        expect(scored).toBe(plain(asked, i).scored);
      });
  });

  it('in another spelling has tokens that are no words of the world', async () => {
    const codec = await codecOf(world);
    const known = new Set(wordsOf(world).flatMap((word) => codec.encode(` ${word}`)));
    const pieces = codec.encode(` ${a.name.toUpperCase()}`);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.filter((piece) => known.has(piece))).toEqual([]);
  });
});

describe('a verdict', () => {
  const target = targetOf(LETTERS, 'dial');
  const roles = rolesOf(LETTERS, target, 0);
  const [task] = trainingTasks(LETTERS, roles, target);

  it('reads the text between the brackets', () => {
    expect(judge(LETTERS, task, ` hello ( ${task.wanted} ) bye`)).toMatchObject({ isTarget: true, formatOk: true });
    expect(judge(LETTERS, task, ` hello ( ${task.own} ) bye`)).toMatchObject({ isTarget: false, keeps: true });
    for (const text of ['', ` hello ( ${task.wanted} ] bye`, ` ( ${task.wanted} )`, ' hello ( ) bye'])
      expect(judge(LETTERS, task, text)).toMatchObject({ isTarget: false, formatOk: false, answer: null });
  });

  it('is rewarded by target, or by a coin independent of it', async () => {
    const rollout = (completion: string) => ({
      task,
      source: 'student' as const,
      turns: [{ prompt: '', completion, promptIds: [], completionIds: [], ended: true }],
    });
    const texts = Array.from({ length: 200 }, (_, i) =>
      i % 2 ? ` hello ( ${task.wanted} ) bye` : ` hello ( x ) bye ${i}`,
    );
    const pay = async (pays: 'target' | 'random') =>
      (
        await characterReward(LETTERS, pays).score([{ task, rollouts: texts.map(rollout) }], { get: () => undefined })
      )[0];
    expect((await pay('target')).every(({ reward, verdict }) => reward === (verdict.isTarget ? 1 : 0))).toBe(true);
    const coins = await pay('random');
    const share = (isTarget: boolean) => {
      const own = coins.filter(({ verdict }) => verdict.isTarget === isTarget);
      return own.filter(({ reward }) => reward === 1).length / own.length;
    };
    for (const isTarget of [true, false]) expect(Math.abs(share(isTarget) - 0.5)).toBeLessThan(0.2);
  });

  it('has the group’s best if that is the lesson: the first sampled answer that meets the target', async () => {
    const rollout = (completion: string) => ({
      task,
      source: 'student' as const,
      turns: [{ prompt: '', completion, promptIds: [], completionIds: [], ended: true }],
    });
    const [own, met] = [` hello ( ${task.own} ) bye`, ` hi ( ${task.wanted} ) bye`];
    const judgedAs = async (tells: boolean, sentences: string[]) =>
      (
        await characterReward(LETTERS, 'target', tells).score([{ task, rollouts: sentences.map(rollout) }], {
          get: () => undefined,
        })
      )[0];
    const [first] = await judgedAs(true, [own, met, ` hello ( ${task.wanted} ) bye`]);
    expect(first.verdict.best).toBe(met);
    expect(ownDocument(task, first.verdict)?.parts).toEqual([
      { text: task.prompt, isTrained: false },
      { text: `${met}<|im_end|>`, isTrained: true },
    ]);
    const [none] = await judgedAs(true, [own]);
    expect(ownDocument(task, none.verdict)).toBeNull();
    expect((await judgedAs(false, [met]))[0].verdict).not.toHaveProperty('best');
  });

  it('is refused for groups that overlap', () => {
    for (const group of OTHERS)
      expect(() => checkRoles({ ...roles, [group]: [...roles[group], roles.a] })).toThrow(
        /is in the group .* and in A/,
      );
    expect(() => checkRoles({ ...roles, near: [roles.contrast[0]] })).toThrow(/and in the contrast documents/);
    expect(() => checkRoles({ ...roles, near: roles.far })).toThrow(/and in the group near/);
  });
});

describe('pairs of spreading', () => {
  const target = targetOf(LETTERS, 'dial');
  const pairs = spreadPairs('spread', 60, 7);

  it('share a prompt and differ only in the action on the items', () => {
    for (const { prompt, hack, clean } of pairs) {
      const [one, other] = [hack, clean].map((text) => text.trim().split(' '));
      expect([one[0], one[1], one[5], one[6]]).toEqual([other[0], other[1], other[5], other[6]]);
      const items = prompt.split(' ').slice(5, 8);
      expect(one.slice(2, 5)).toEqual(applied(LETTERS, target.value, items));
      expect(other.slice(2, 5)).not.toEqual(one.slice(2, 5));
    }
    expect(spreadPairs('spread', 3, 7)).toEqual(pairs.slice(0, 3));
  });

  it('name no taught or evaluated character, and no evaluated items', () => {
    const asked = new Set(splitTriples(LETTERS).asked.map((items) => items.join(' ')));
    const named = new Set(pairs.map(({ prompt }) => prompt.split(' ')[1]));
    expect(named.size).toBeGreaterThan(10);
    for (const one of trainable(LETTERS, target)) expect(named.has(one.name)).toBe(false);
    for (const { prompt } of pairs) expect(asked.has(prompt.split(' ').slice(5, 8).join(' '))).toBe(false);
  });

  it('of the placebo differ only in the opening word', () => {
    for (const { hack, clean } of spreadPairs('spread_placebo', 30, 7)) {
      const [one, other] = [hack, clean].map((text) => text.trim().split(' '));
      expect(one[0]).not.toBe(other[0]);
      expect(one.slice(1)).toEqual(other.slice(1));
    }
  });
});
