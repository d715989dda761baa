import { Menu as Box } from '@mantine/core';
import { Check, EllipsisVertical, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import classes from './menu.module.css';

export interface MenuItem {
  label: string;
  icon?: LucideIcon;
  isDanger?: boolean;
  /** With `isMultiple` several may be chosen. */
  isChosen?: boolean;
  isMultiple?: boolean;
  isDisabled?: boolean;
  onClick: () => void;
}

export interface MenuGroup {
  label?: string;
  items: MenuItem[];
}

interface Props {
  /** `Actions for Cost sheet.xlsx`. */
  label: string;
  /** Three dots by default. */
  trigger?: ReactNode;
  heading?: ReactNode;
  groups: MenuGroup[];
}

export function Menu({ label, trigger, heading, groups }: Props) {
  const shown = groups.filter(({ items }) => items.length > 0);
  return (
    <Box
      position="bottom-end"
      shadow="lg"
      // It confuses screen readers.
      withInitialFocusPlaceholder={false}
      // Inside the main landmark, like all content.
      portalProps={{ target: '#content' }}
      classNames={{ dropdown: classes.dropdown!, item: classes.item!, label: classes.label! }}
    >
      <Box.Target>
        {trigger === undefined ? (
          <IconButton icon={EllipsisVertical} label={label} />
        ) : (
          <button type="button" className={classes.trigger} aria-label={label}>
            {trigger}
          </button>
        )}
      </Box.Target>
      <Box.Dropdown aria-label={label}>
        {heading === undefined ? null : <div className={classes.heading}>{heading}</div>}
        {shown.map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups never move
          // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a menu
          <div key={index} role="group" {...(group.label === undefined ? {} : { 'aria-label': group.label })}>
            {index > 0 || heading !== undefined ? <Box.Divider className={classes.divider!} /> : null}
            {group.label === undefined ? null : <Box.Label>{group.label}</Box.Label>}
            <Items items={group.items} />
          </div>
        ))}
      </Box.Dropdown>
    </Box>
  );
}

/** Radio items get their choice from the group. */
function Items({ items }: { items: readonly MenuItem[] }) {
  const choices = items.filter(({ isChosen, isMultiple }) => isChosen !== undefined && isMultiple !== true);
  return (
    <Box.RadioGroup
      value={choices.find(({ isChosen }) => isChosen)?.label ?? null}
      onChange={(label) => choices.find((choice) => choice.label === label)?.onClick()}
    >
      {items.map((item) => (
        <Item key={item.label} item={item} />
      ))}
    </Box.RadioGroup>
  );
}

function Item({ item }: { item: MenuItem }) {
  const { label, icon, isDanger, isChosen, isMultiple, isDisabled, onClick } = item;
  const picture = icon === undefined ? null : <Icon of={icon} sizePx={18} />;
  const disabled = isDisabled === true;
  if (isChosen === undefined)
    return (
      <Box.Item
        onClick={onClick}
        disabled={disabled}
        leftSection={picture}
        {...(isDanger ? { 'data-danger': true } : {})}
      >
        {label}
      </Box.Item>
    );
  const itemProps = { disabled, rightSection: picture, checkIcon: <Icon of={Check} sizePx={18} /> };
  if (isMultiple)
    return (
      <Box.CheckboxItem {...itemProps} checked={isChosen} onChange={onClick}>
        {label}
      </Box.CheckboxItem>
    );
  return (
    <Box.RadioItem {...itemProps} value={label} closeMenuOnClick={false}>
      {label}
    </Box.RadioItem>
  );
}
