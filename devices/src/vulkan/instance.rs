//! The library and an instance, with the validation layer where that is asked for.

use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use ash::{Entry, ext, khr, vk};

/// What the validation layer said, in words. None but for tests should ask for it.
#[derive(Debug, Clone, Default)]
pub struct Validation(Arc<Mutex<Vec<String>>>);

impl Validation {
    /// Every message so far.
    pub fn messages(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// An instance of Vulkan.
pub struct Instance {
    pub(super) raw: ash::Instance,
    messenger: Option<(ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    validation: Validation,
    /// The library is closed with it, so it comes last.
    _entry: Entry,
}

const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

impl Instance {
    /// Loads the library and makes an instance.
    ///
    /// # Errors
    ///
    /// In words: no library, no driver, or no validation layer where `validate` asks for it.
    pub fn new(validate: bool) -> Result<Self, String> {
        // SAFETY: the library is the system's Vulkan loader, and outlives all that comes of it.
        let entry = unsafe { Entry::load() }.map_err(|_| "Vulkan is not installed".to_owned())?;
        // SAFETY: these calls have no requirements but valid pointers, which ash sees to.
        let version = unsafe { entry.try_enumerate_instance_version() };
        let version = version.ok().flatten().unwrap_or(vk::API_VERSION_1_0);
        if version < vk::API_VERSION_1_1 {
            return Err("the Vulkan loader is older than Vulkan 1.1".into());
        }
        // SAFETY: as above.
        let extensions = unsafe { entry.enumerate_instance_extension_properties(None) };
        let extensions = extensions.unwrap_or_default();
        let has = |name: &CStr| {
            extensions.iter().any(|it| it.extension_name_as_c_str().is_ok_and(|it| it == name))
        };
        // SAFETY: as above.
        let layers = unsafe { entry.enumerate_instance_layer_properties() }.unwrap_or_default();
        let has_layer =
            layers.iter().any(|it| it.layer_name_as_c_str().is_ok_and(|it| it == LAYER));
        if validate && !has_layer {
            return Err("the Khronos validation layer is not installed".into());
        }
        let (mut names, mut flags) = (Vec::new(), vk::InstanceCreateFlags::empty());
        if has(khr::portability_enumeration::NAME) {
            names.push(khr::portability_enumeration::NAME.as_ptr());
            flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
        }
        if validate {
            names.push(ext::debug_utils::NAME.as_ptr());
        }
        let layers = if validate { vec![LAYER.as_ptr()] } else { Vec::new() };
        let application = vk::ApplicationInfo::default()
            .application_name(c"lineside")
            .api_version(vk::API_VERSION_1_2);
        let validation = Validation::default();
        let mut listener = listener(&validation);
        let mut info = vk::InstanceCreateInfo::default()
            .flags(flags)
            .application_info(&application)
            .enabled_extension_names(&names)
            .enabled_layer_names(&layers);
        if validate {
            info = info.push_next(&mut listener);
        }
        // SAFETY: every pointer in `info` lives until the call returns.
        let raw = unsafe { entry.create_instance(&info, None) }
            .map_err(|error| format!("Vulkan has no driver that starts ({error})"))?;
        let messenger = validate.then(|| ext::debug_utils::Instance::new(&entry, &raw));
        let messenger = messenger.and_then(|utils| {
            // SAFETY: the instance has the extension; the listener's data lives as long as it.
            let made =
                unsafe { utils.create_debug_utils_messenger(&listener_of(&validation), None) };
            made.ok().map(|messenger| (utils, messenger))
        });
        Ok(Instance { raw, messenger, validation, _entry: entry })
    }

    /// What the validation layer says, if it was asked for.
    pub fn validation(&self) -> Option<Validation> {
        self.messenger.as_ref().map(|_| self.validation.clone())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: devices hold the instance, so none is left; nothing is used after this.
        unsafe {
            if let Some((utils, messenger)) = self.messenger.take() {
                utils.destroy_debug_utils_messenger(messenger, None);
            }
            self.raw.destroy_instance(None);
        }
    }
}

fn listener(validation: &Validation) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    listener_of(validation)
}

fn listener_of(validation: &Validation) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    use vk::{
        DebugUtilsMessageSeverityFlagsEXT as Severity, DebugUtilsMessageTypeFlagsEXT as Type,
    };
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(Severity::WARNING | Severity::ERROR)
        .message_type(Type::GENERAL | Type::VALIDATION | Type::PERFORMANCE)
        .pfn_user_callback(Some(hear))
        .user_data(Arc::as_ptr(&validation.0).cast_mut().cast::<c_void>())
}

/// SAFETY: Vulkan calls it with valid data, and with the `user_data` of [`listener_of`].
unsafe extern "system" fn hear(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    user_data: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the instance keeps the messages alive for as long as it may call.
    let messages = unsafe { &*user_data.cast_const().cast::<Mutex<Vec<String>>>() };
    // SAFETY: the message is a string that ends, and lives during the call.
    let text = unsafe { (*data).message_as_c_str() };
    let text = text.map_or_else(String::new, |text| text.to_string_lossy().into_owned());
    messages.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    vk::FALSE
}
