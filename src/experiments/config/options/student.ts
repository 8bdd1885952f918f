// The trained model, and its environment.
import { type OptionGroup, text } from '../../../lib/option.ts';

export const STUDENT = {
  heading: 'Problems',
  role: 'training',
  options: {
    model: text({ default: 'tiny-coder', label: 'Model', help: 'Which student is trained.', glossary: 'model' }),
    environment: text({
      default: 'one-line-python',
      label: 'Environment',
      help: 'What the student acts in.',
      glossary: 'environment',
    }),
  },
} satisfies OptionGroup;
