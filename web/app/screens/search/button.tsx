// Opens the search, which is loaded when it is first used.
import { Search } from 'lucide-react';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { fetchFile } from '../../lazy-files.tsx';
import { hideSearch, searchDialog, showSearch } from '../../search-dialog.ts';
import { currentLocale, loadTexts, useText } from '../../texts.ts';
import { Icon } from '../../ui/icon.tsx';
import classes from './button.module.css';

const SearchDialog = lazy(() =>
  fetchFile(async () => {
    const [dialog] = await Promise.all([import('./dialog.tsx'), loadTexts(currentLocale(), ['search', 'account'])]);
    return { default: dialog.SearchDialog };
  }),
);

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

export function SearchButton() {
  const text = useText('shell');
  return (
    <button type="button" className={classes.button} aria-keyshortcuts="Control+K Meta+K" onClick={showSearch}>
      <Icon of={Search} sizePx={18} />
      <span className={classes.label}>{text('search')}</span>
      <span className={classes.key} aria-hidden="true">
        {isApple ? '⌘K' : text('searchKeys')}
      </span>
    </button>
  );
}

export function SearchHost() {
  const { isOpen } = useSyncExternalStore(searchDialog.listen, searchDialog.read);
  if (!isOpen) return null;
  return (
    <Suspense>
      <SearchDialog onClose={hideSearch} />
    </Suspense>
  );
}
