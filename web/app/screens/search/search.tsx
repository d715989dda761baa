// Wide screens use the field at the top; small ones have one here.

import { useEffect } from 'react';
import { visibleText } from '../../../visible.ts';
import { Screen } from '../../parts/screen.tsx';
import { useSearchParams } from '../../search-params.ts';
import { useText } from '../../texts.ts';
import { Card } from '../../ui/card.tsx';
import { moveInResults } from './arrow-keys.ts';
import { FieldOfScreen, ownSearchFieldId } from './field.tsx';
import { SearchResults, useDebounced } from './results.tsx';
import classes from './search.module.css';

export default function SearchScreen() {
  const text = useText('search');
  const q = (useSearchParams().params.q ?? '').trim().slice(0, 200);
  const debounced = useDebounced(q);
  useEffect(() => {
    const field = document.getElementById(ownSearchFieldId);
    if (field?.offsetParent && (field as HTMLInputElement).value === '') field.focus();
  }, []);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between links and the field inside
    <div onKeyDown={moveInResults}>
      <Screen title={text('title')} lead={q === '' ? undefined : text('lead', { q: visibleText(q) })}>
        <div className={classes.ownField}>
          <FieldOfScreen isOwn />
        </div>
        <Card isFlush>
          <div className={classes.results}>
            <SearchResults q={q === '' ? '' : debounced} />
          </div>
        </Card>
      </Screen>
    </div>
  );
}
