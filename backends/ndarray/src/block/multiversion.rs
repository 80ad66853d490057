//! Functions that are compiled for each instruction set.

/// Defines functions whose bodies are compiled once per instruction set and chosen at run time. Functions
/// that a body calls must be `#[inline(always)]`. Borrows must be written `&'a` and `&'b mut`.
macro_rules! multiversion {
    ($($(#[$doc:meta])* $vis:vis fn $name:ident $(<$g:ident: $bound:ident>)? ($($arg:ident: $ty:ty),* $(,)?) $(-> $output:ty)? $body:block)*) => {$(
        $(#[$doc])*
        $vis fn $name<'a, 'b $(, $g: $bound)?>($($arg: $ty),*) $(-> $output)? {
            struct Call<'a, 'b $(, $g: $bound)?>($($ty,)* std::marker::PhantomData<(&'a (), &'b (), $($g)?)>);
            impl<'a, 'b $(, $g: $bound)?> $crate::lane::Routine for Call<'a, 'b $(, $g)?> {
                type Output = multiversion!(@output $($output)?);
                #[inline(always)]
                fn run<I: $crate::lane::Isa>(self) -> Self::Output {
                    let Call($($arg,)* _) = self;
                    $body
                }
            }
            $crate::lane::dispatch(Call($($arg,)* std::marker::PhantomData))
        }
    )*};
    (@output) => { () };
    (@output $output:ty) => { $output };
}

pub(super) use multiversion;
