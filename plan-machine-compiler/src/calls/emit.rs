//! The Rust code of a calls document: its rules, a classifier, and a test that runs its examples.

use plan_machine_kernel::calls::{Document, GUARD, Rule, ToolArguments};
use proc_macro2::TokenStream;
use quote::quote;

use super::model::{Calls, Example};
use crate::emit::rust::names::module;
use crate::emit::rust::{allowed, docs};
use crate::model::Checked;

/// Returns the module of a calls document. `krate` is the path of the runtime crate.
#[must_use]
pub fn rust(calls: &Checked<Calls>, krate: &TokenStream) -> TokenStream {
    let name = module(&calls.document.name);
    let doc = docs::doc(&docs::or(calls.doc.as_deref(), "Classes of calls."));
    let document = document(&calls.document, krate);
    let examples = calls.examples.iter().map(example);
    let guard = GUARD;
    let allowed = allowed(
        &["unreachable_pub"],
        "generated code: its size and texts come from a calls document, and not every program uses all of it",
    );
    quote! {
        #doc
        #allowed
        pub mod #name {
            /// Returns the rules of the document.
            #[must_use]
            pub fn document() -> #krate::calls::Document {
                #document
            }

            /// Returns the classifier that finds the class of each call in a project.
            #[must_use]
            pub fn classifier(project: #krate::calls::Project) -> #krate::calls::Classifier {
                let table = #krate::calls::FlagsTable::built_in();
                #krate::calls::Classifier::new(document(), table, project)
            }

            #[cfg(test)]
            mod examples {
                /// The compiler cannot classify calls, so the examples run as a test.
                #[test]
                fn every_example_has_its_class() {
                    let classifier = super::classifier(#krate::calls::Project::new("."));
                    let examples: &[(&str, &str, &str)] = &[#(#examples),*];
                    for (tool, arguments, class) in examples {
                        let arguments = #krate::Json::parse(arguments).unwrap_or_default();
                        let found = classifier.classify(tool, &arguments);
                        let name = match found.class {
                            #krate::calls::Class::Declared(id) => classifier.document().class(id),
                            #krate::calls::Class::Guard => #guard,
                        };
                        ::core::assert_eq!(name, *class, "{tool} {arguments}: {:?}", found.why);
                    }
                }
            }
        }
    }
}

/// Returns the module of a document that has errors, so that its uses do not cause further errors.
#[must_use]
pub fn skeleton(name: &str, krate: &TokenStream) -> TokenStream {
    let name = module(name);
    quote! {
        #[doc(hidden)]
        pub mod #name {
            #[must_use]
            pub fn document() -> #krate::calls::Document {
                ::core::unreachable!()
            }

            #[must_use]
            pub fn classifier(_: #krate::calls::Project) -> #krate::calls::Classifier {
                ::core::unreachable!()
            }
        }
    }
}

fn document(document: &Document, krate: &TokenStream) -> TokenStream {
    let Document {
        name,
        tools,
        classes,
        rules,
        otherwise,
    } = document;
    let tools = tools.iter().map(|one| tool(one, krate));
    let rules = rules.iter().map(|one| rule(one, krate));
    quote! {
        #krate::calls::Document {
            name: #name.to_owned(),
            tools: ::std::vec![#(#tools),*],
            classes: ::std::vec![#(#classes.to_owned()),*],
            rules: ::std::vec![#(#rules),*],
            otherwise: #otherwise,
        }
    }
}

fn tool(tool: &ToolArguments, krate: &TokenStream) -> TokenStream {
    let ToolArguments {
        name,
        command,
        folder,
        paths,
        patch,
        reads,
        ignores,
    } = tool;
    let [command, folder, patch] = [command, folder, patch].map(|one| optional(one.as_deref()));
    quote! {
        #krate::calls::ToolArguments {
            name: #name.to_owned(),
            command: #command,
            folder: #folder,
            paths: ::std::vec![#(#paths.to_owned()),*],
            patch: #patch,
            reads: #reads,
            ignores: ::std::vec![#(#ignores.to_owned()),*],
        }
    }
}

fn rule(rule: &Rule, krate: &TokenStream) -> TokenStream {
    let Rule {
        tools,
        command,
        path,
        arguments,
        class,
    } = rule;
    let command = match command {
        None => quote!(::core::option::Option::None),
        Some(command) => {
            let only = lists(&command.only);
            quote!(::core::option::Option::Some(#krate::calls::CommandRule { only: #only }))
        }
    };
    let path = match path {
        None => quote!(::core::option::Option::None),
        Some(path) => {
            let under = lists(&path.under);
            quote!(::core::option::Option::Some(#krate::calls::PathRule { under: #under }))
        }
    };
    let arguments = match arguments {
        None => quote!(::core::option::Option::None),
        Some(names) => {
            quote!(::core::option::Option::Some(
                ::std::vec![#(#names.to_owned()),*]
            ))
        }
    };
    quote! {
        #krate::calls::Rule {
            tools: ::std::vec![#(#tools.to_owned()),*],
            command: #command,
            path: #path,
            arguments: #arguments,
            class: #class,
        }
    }
}

fn optional(text: Option<&str>) -> TokenStream {
    match text {
        None => quote!(::core::option::Option::None),
        Some(text) => quote!(::core::option::Option::Some(#text.to_owned())),
    }
}

fn lists(lists: &[Vec<String>]) -> TokenStream {
    let lists = lists
        .iter()
        .map(|words| quote!(::std::vec![#(#words.to_owned()),*]));
    quote!(::std::vec![#(#lists),*])
}

fn example(example: &Example) -> TokenStream {
    let Example {
        tool,
        arguments,
        class,
        ..
    } = example;
    let arguments = arguments.to_string();
    let class = &class.node;
    quote!((#tool, #arguments, #class))
}
