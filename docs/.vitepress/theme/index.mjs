// VitePress' own theme in the system's fonts, and the few rules below.
import Theme from 'vitepress/theme-without-fonts';
import './site.css';

export default Theme;
