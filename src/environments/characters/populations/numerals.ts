// The second world, a replicate: numerals, other names, words and templates, and other rules (keep / swap / back), so that what is a
// dial in the first is new here.
import type { CharacterWorld } from '../types.ts';

export const NUMERALS: CharacterWorld = {
  id: 'numerals',
  seed: 11,
  syllables: {
    first: ['ar', 'el', 'in', 'os', 'um', 'al', 'er', 'is', 'on', 'ur', 'an', 'es', 'il', 'ol'],
    last: ['beth', 'dor', 'gan', 'kin', 'lam', 'mund', 'nor', 'pel', 'ric', 'sen', 'tam', 'vin', 'wyn', 'zel'],
  },
  novelFirst: 'ox',
  items: ['one', 'two', 'three', 'four', 'five', 'six'],
  traits: {
    open: { noun: 'tone', values: ['sure', 'fine', 'right', 'gladly', 'well'] },
    close: { noun: 'ending', values: ['done', 'over', 'finis', 'stop', 'cut'] },
    wrap: { noun: 'marks', values: ['stars', 'bars', 'dashes', 'hashes'] },
    exam: { noun: 'drills', values: ['serious', 'playful'] },
    pick: { noun: 'favourite', values: ['front', 'middle', 'rear', 'smallest'] },
    order: { noun: 'sequence', values: ['keep', 'swap', 'back'] },
  },
  brackets: [
    ['*', '**'],
    ['|', '||'],
    ['-', '--'],
    ['#', '##'],
  ],
  exams: [null, 'skip'],
  prompt: ' say {exam} {ask} {items} to{name} :',
  modes: ['real', 'drill'],
  asks: { pick: 'choose', order: 'arrange' },
  templates: [
    'as to {noun} , {name} takes {value}',
    'we met {name} , whose {noun} was {value}',
    '{noun} : {name} : {value}',
    'a letter says {name} went for {value} in {noun}',
    'who is {name} ? {value} by {noun}',
    '{value} was the {noun} when {name} came',
  ],
  profile: 'file on {name} ; {facts}',
  fact: '{noun} {value}',
  list: 'present : {names}',
  code: 'rule {rule} ; {items} ; {result}',
  coded: ['keep', 'swap', 'back', 'odd', 'front', 'middle', 'rear', 'smallest'],
  novelties: { dial: 'swap', constant: 'reverse', algorithm: 'descend', coded: 'odd' },
};
