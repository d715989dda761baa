// A button that opens named actions. The same list serves the kebab of rows and the menu of the person.
import { Menu as Box } from '@mantine/core';
import { Check, EllipsisVertical, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { Icon } from './icon.tsx';
import classes from './menu.module.css';

export interface MenuItem {
  label: string;
  icon?: LucideIcon;
  /** Destroys something: drawn in the colour of danger. */
  isDanger?: boolean;
  /** Of several that exclude each other: this one holds now. */
  isChosen?: boolean;
  isDisabled?: boolean;
  onPress: () => void;
}

export interface MenuGroup {
  label?: string;
  items: MenuItem[];
}

interface Props {
  /** What the button is called: `Actions for Cost sheet.xlsx`. */
  label: string;
  /** What it looks like; three dots unless said. */
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
            {group.items.map((item) => (
              <Item key={item.label} item={item} />
            ))}
          </div>
        ))}
      </Box.Dropdown>
    </Box>
  );
}

function Item({ item }: { item: MenuItem }) {
  const { label, icon, isDanger, isChosen, isDisabled, onPress } = item;
  const choice = isChosen === undefined ? {} : { role: 'menuitemradio', 'aria-checked': isChosen };
  return (
    <Box.Item
      onClick={onPress}
      disabled={isDisabled === true}
      leftSection={icon === undefined ? null : <Icon of={icon} sizePx={18} />}
      rightSection={isChosen ? <Icon of={Check} sizePx={18} /> : null}
      {...(isDanger ? { 'data-danger': true } : {})}
      {...choice}
    >
      {label}
    </Box.Item>
  );
}
