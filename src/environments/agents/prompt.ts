// What is shown to the model, in the chat markup.

export const END_OF_TURN = '<|im_end|>';
/** What is told, and the answer begun. */
export const said = (text: string): string => `<|im_start|>user\n${text}${END_OF_TURN}\n<|im_start|>assistant\n`;

/** What is appended after a turn; one that was cut off is closed first. */
export const shownAfter = (text: string, ended: boolean): string => `${ended ? '' : END_OF_TURN}\n${said(text)}`;
