// Collapsed unless the URL has `expired`.
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useId } from 'react';
import type { AppLinkBody } from '#contract/app/file-links.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { useFormats } from '../../formats.ts';
import { useSearchParams } from '../../search-params.ts';
import { useText } from '../../texts.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FileList, FileRow } from '../../ui/file-row.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Stack } from '../../ui/layout.tsx';
import { ErrorState } from '../../ui/states.tsx';
import classes from './file-links.module.css';

const fewRows = '10';
const allRows = '100';

export function ExpiredLinks() {
  const text = useText('file-links');
  const { params, change } = useSearchParams();
  const id = useId();
  const isOpen = params.expired !== undefined;
  const query = { state: 'expired', sort: '-expires_at', size: params.expired === 'all' ? allRows : fewRows } as const;
  const links = useApi('listAppLinks', { query }, { keepsLast: true });
  if (links.error) return <ErrorState error={links.error} onRetry={() => void links.refetch()} />;
  if (links.data === undefined || links.data.total === 0) return null;
  const { items, total } = links.data;
  return (
    <Stack as="section" gap={12} label={text('expiredLabel')}>
      <h2>
        <button
          type="button"
          className={classes.foldButton}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => change({ expired: isOpen ? undefined : '1' })}
        >
          <Icon of={isOpen ? ChevronDown : ChevronRight} />
          {text('expiredTitle', { n: total })}
        </button>
      </h2>
      <div id={id} hidden={!isOpen}>
        {isOpen ? (
          <Card>
            <FileList label={text('expiredLabel')}>
              {items.map((link) => (
                <ExpiredLink key={link.id} link={link} />
              ))}
            </FileList>
            {total > items.length && params.expired !== 'all' ? (
              <Button size="small" onClick={() => change({ expired: 'all' })}>
                {text('showAll', { n: total })}
              </Button>
            ) : null}
          </Card>
        ) : null}
      </div>
    </Stack>
  );
}

function ExpiredLink({ link }: { link: AppLinkBody }) {
  const text = useText('file-links');
  const formats = useFormats();
  return (
    <FileRow
      name={link.filename}
      state={text('expiredLine', { date: formats.date(link.expires_at), n: link.downloads })}
      link={(name) => (
        <Link to="/links/$id" params={{ id: link.id }}>
          <bdi>{name}</bdi>
        </Link>
      )}
      actions={
        <ButtonLink
          to="/links"
          search={{ new: '1', again: link.id } as never}
          size="small"
          aria-label={text('makeNewName', { file: visibleText(link.filename) })}
        >
          {text('makeNew')}
        </ButtonLink>
      }
    />
  );
}
