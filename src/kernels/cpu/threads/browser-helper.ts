// Entry point of a helper thread in a browser: its first message has the initial data; it closes when the board says stop.
import { type HelperInit, helper } from './helper.ts';

self.onmessage = ({ data }: MessageEvent<HelperInit>) => {
  helper(data, () => self.postMessage('ready'));
  self.close();
};
