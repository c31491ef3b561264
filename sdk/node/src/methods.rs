//! Gives a body its two forms.

/// Makes methods of a home: from each body a promise and its `…Sync` twin.
///
/// What it does is said in literals instead of comments, since only those reach the types of
/// TypeScript as they are. `soon` or `late` says whether the call ends soon or may wait for long. A body gets the
/// [`Core`](crate::home::Core) of the home and the arguments, owned.
macro_rules! methods {
    ($(
        $($doc:literal)+
        $speed:ident $name:ident $name_sync:ident
            |$core:ident $(, $argument:ident: [$($kind:tt)+])*| -> [$($answer:tt)+] $body:block
    )*) => {
        #[napi_derive::napi]
        impl Home {
            $(
                $(#[doc = $doc])+
                #[napi(strict)]
                pub fn $name<'env>(
                    &self,
                    env: &'env napi::Env,
                    $($argument: $($kind)+),*
                ) -> napi::Result<napi::bindgen_prelude::PromiseRaw<'env, $($answer)+>> {
                    let held = self.core.clone();
                    $crate::task::$speed(env, move || {
                        let $core = &*held;
                        $body
                    })
                }

                $(#[doc = $doc])+
                #[doc = ""]
                #[doc = "Blocks until it is done."]
                #[napi(strict)]
                pub fn $name_sync(
                    &self,
                    $($argument: $($kind)+),*
                ) -> napi::Result<$($answer)+> {
                    let $core = &*self.core;
                    let outcome = move || -> homefs_core::Result<$($answer)+> { $body };
                    outcome().map_err(|error| $crate::error::thrown(&error))
                }
            )*
        }
    };
}

pub(crate) use methods;
