// Renders a Helm chart with Go's templates and the function library that Helm uses: render CHART VALUES-AS-JSON. Prints the
// documents of all templates; ends with 1 and a sentence if a template fails. Runs where Helm cannot be installed.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := render(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(chart, given string) error {
	values, info, wanted := map[string]any{}, map[string]any{}, map[string]any{}
	if err := readYaml(filepath.Join(chart, "values.yaml"), &values); err != nil {
		return err
	}
	if err := readYaml(filepath.Join(chart, "Chart.yaml"), &info); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(given), &wanted); err != nil {
		return err
	}
	merge(values, wanted)
	root := template.New("chart").Option("missingkey=zero").Funcs(sprig.TxtFuncMap())
	root.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var text strings.Builder
			err := root.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
		"toYaml": func(value any) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"fail": func(sentence string) (string, error) { return "", errors.New(sentence) },
	})
	paths, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := root.New(filepath.Base(path)).Parse(string(text)); err != nil {
			return err
		}
	}
	// As Helm has it: the keys of Chart.yaml with a capital.
	data := map[string]any{
		"Values":  values,
		"Chart":   map[string]any{"Name": info["name"], "Version": info["version"], "AppVersion": info["appVersion"]},
		"Release": map[string]any{"Name": "files", "Namespace": "transfer", "Service": "Helm"},
	}
	for _, path := range paths {
		if name := filepath.Base(path); !strings.HasSuffix(name, ".tpl") {
			fmt.Printf("---\n# %s\n", name)
			if err := root.ExecuteTemplate(os.Stdout, name, data); err != nil {
				return err
			}
			fmt.Println()
		}
	}
	return nil
}

func readYaml(path string, into *map[string]any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return yaml.Unmarshal(text, into)
}

func merge(into, from map[string]any) {
	for key, value := range from {
		inner, isMap := value.(map[string]any)
		if old, wasMap := into[key].(map[string]any); isMap && wasMap {
			merge(old, inner)
		} else {
			into[key] = value
		}
	}
}
