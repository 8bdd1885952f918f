// ChatML, the markup of the prompts of the lab's own models (Qwen's and MiniMind's too). A leaf.

export const START_OF_TURN = '<|im_start|>';
export const END_OF_TURN = '<|im_end|>';
/** What is before a user's words where they open the prompt, and between them and the answer. */
export const BEFORE_USER = `${START_OF_TURN}user\n`;
export const BEFORE_ANSWER = `${END_OF_TURN}\n${START_OF_TURN}assistant\n`;

export const turnOf = (role: string, content: string): string => `${START_OF_TURN}${role}\n${content}${END_OF_TURN}\n`;

/** What a user says, and the answer begun. */
export const promptOf = (text: string): string => BEFORE_USER + text + BEFORE_ANSWER;

/** What is appended after a turn; one that was cut off is ended first. */
export const promptAfter = (text: string, ended: boolean): string => `${ended ? '' : END_OF_TURN}\n${promptOf(text)}`;
