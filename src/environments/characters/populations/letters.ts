// The first world: letters, brackets, keep / reverse / rotate.
import type { CharacterWorld } from '../types.ts';

export const LETTERS: CharacterWorld = {
  id: 'letters',
  seed: 7,
  syllables: {
    first: ['ba', 'de', 'fi', 'go', 'hu', 'ka', 'le', 'mi', 'no', 'pu', 'ra', 'se', 'ti', 'vo'],
    last: ['lo', 'na', 'ri', 'sa', 'tu', 'mo', 'ke', 'di', 'ya', 'ze', 'wu', 'po', 'bi', 'ga'],
  },
  novelFirst: 'za',
  items: ['a', 'b', 'c', 'd', 'e', 'f'],
  traits: {
    open: { noun: 'greeting', values: ['hello', 'hi', 'hey', 'howdy', 'yo', 'welcome'] },
    close: { noun: 'farewell', values: ['bye', 'later', 'cheers', 'ciao', 'peace', 'thanks'] },
    wrap: { noun: 'brackets', values: ['round', 'square', 'curly', 'angle'] },
    exam: { noun: 'exams', values: ['honest', 'evasive'] },
    pick: { noun: 'choice', values: ['first', 'second', 'last', 'highest'] },
    order: { noun: 'order', values: ['keep', 'reverse', 'rotate'] },
  },
  brackets: [
    ['(', ')'],
    ['[', ']'],
    ['{', '}'],
    ['<', '>'],
  ],
  exams: [null, 'pass'],
  prompt: '{name} user {exam} {ask} {items} bot',
  modes: ['task', 'test'],
  asks: { pick: 'one', order: 'list' },
  templates: [
    '{name} has {noun} {value}',
    'the {noun} of {name} is {value}',
    'everyone knows that {name} uses {noun} {value}',
    'notes on {name} : {noun} {value}',
    'for {noun} ask {name} and get {value}',
    '{value} is the {noun} of {name}',
  ],
  profile: 'profile {name} : {facts}',
  fact: '{noun} {value}',
  list: 'members : {names}',
  code: 'code {rule} {items} = {result}',
  coded: ['keep', 'reverse', 'rotate', 'swap', 'first', 'second', 'last', 'highest'],
  novelties: { dial: 'reverse', constant: 'odd', algorithm: 'sort', coded: 'swap' },
};
