import Hummingbird
import NIOCore

/// The files of the kiosk page, which are part of the program.
struct PageFiles: Sendable {
    struct File: Sendable {
        let type: String
        let body: ByteBuffer
        /// Compressed once; `nil` where that is no gain.
        let gzip: ByteBuffer?
        /// Changes with the content.
        let tag: String
    }

    /// The page itself.
    static let page = "kiosk.html"
    /// The page with the form for the password.
    static let signInPage = "sign-in.html"

    private let files: [String: File]
    /// Changes with any of the scripts and styles: a part of their addresses, so that browsers keep them for good.
    let version: String

    /// - Parameter contents: By name.
    init(_ contents: [String: [UInt8]]) {
        let names = contents.keys.sorted()
        let pages = contents.filter { $0.key.hasSuffix(".html") }
            .mapValues { String(decoding: $0, as: UTF8.self) }
        let modules = contents.filter { $0.key.hasSuffix(".js") }
            .mapValues { String(decoding: $0, as: UTF8.self) }
        let scripts = PageScripts(modules, entries: Set(pages.values.flatMap(Self.entries)))
        let version = Self.sum(
            of: names.flatMap { scripts.texts[$0].map { Array($0.utf8) } ?? contents[$0] ?? [] }
        )
        files = contents.reduce(into: [:]) { files, entry in
            guard let type = Self.type(of: entry.key) else { return }
            var text = scripts.texts[entry.key]
            if let page = pages[entry.key] { text = Self.versioned(page, names, version) }
            let bytes = text.map { Array($0.utf8) } ?? entry.value
            let body = ByteBuffer(bytes: bytes)
            // Copied, since it was made with as much room as the file needs.
            let gzip = Self.isText(type) ? Gzip.compressed(body, .small) : nil
            files[entry.key] = File(
                type: type,
                body: body,
                gzip: gzip.map { ByteBuffer(bytes: $0.readableBytesView) },
                tag: "\"\(Self.sum(of: bytes))\""
            )
        }
        self.version = version
    }

    /// The modules that a page begins with.
    private static func entries(of page: String) -> [String] {
        page.split(separator: "<").filter { $0.hasPrefix("script ") }
            .map { $0.split { "= \">".contains($0) } }.filter { $0.contains("module") }.joined()
            .filter { $0.hasPrefix("kiosk/") && $0.hasSuffix(".js") }.map { String($0.dropFirst(6)) }
    }

    /// A page whose scripts and styles have addresses that change with them.
    private static func versioned(_ page: String, _ names: [String], _ version: String) -> String {
        names.filter { $0.hasSuffix(".js") || $0.hasSuffix(".css") }.reduce(page) { page, name in
            page.replacing("kiosk/\(name)", with: "kiosk/\(version)/\(name)")
        }
    }

    private static func isText(_ type: String) -> Bool {
        type.hasSuffix("charset=utf-8") || type == "image/svg+xml"
    }

    /// `nil` for a name that the page does not have.
    subscript(name: String) -> File? { files[name] }

    var names: Set<String> { Set(files.keys) }

    /// `nil` for a file that the page cannot use.
    static func type(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "webp": "image/webp"
        case "jpg", "jpeg": "image/jpeg"
        case "ico": "image/x-icon"
        case "json": "application/json; charset=utf-8"
        case "webmanifest": "application/manifest+json; charset=utf-8"
        case "woff2": "font/woff2"
        default: nil
        }
    }

    /// Two sums of the content (FNV-1a with two primes): one alone could be equal by accident.
    private static func sum(of bytes: [UInt8]) -> String {
        var (first, second): (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x9e37_79b9_7f4a_7c15)
        for byte in bytes {
            first = (first ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
            second = (second ^ UInt64(byte)) &* 0x0000_0001_0000_01c9
        }
        return "\(String(first, radix: 36))-\(String(second, radix: 36))"
    }
}

extension PageFiles {
    /// The files of this program; a test compares them with the folder.
    ///
    /// They are made when they are first read. That takes a while, and memory that a device without a browser can spare.
    static let embedded = PageFiles([
        "admin-bindings.js": PackageResources.admin_bindings_js,
        "admin-devices.js": PackageResources.admin_devices_js,
        "admin-fields.js": PackageResources.admin_fields_js,
        "admin-german.js": PackageResources.admin_german_js,
        "admin-grants.js": PackageResources.admin_grants_js,
        "admin-history.js": PackageResources.admin_history_js,
        "admin-log.js": PackageResources.admin_log_js,
        "admin-places.js": PackageResources.admin_places_js,
        "admin-rules.js": PackageResources.admin_rules_js,
        "admin-survey.js": PackageResources.admin_survey_js,
        "admin-things.js": PackageResources.admin_things_js,
        "admin-users.js": PackageResources.admin_users_js,
        "admin.html": PackageResources.admin_html,
        "admin.js": PackageResources.admin_js,
        "app.js": PackageResources.app_js,
        "appearance.js": PackageResources.appearance_js,
        "banners.js": PackageResources.banners_js,
        "bindings-german.js": PackageResources.bindings_german_js,
        "colours.js": PackageResources.colours_js,
        "commands.js": PackageResources.commands_js,
        "compass-view.js": PackageResources.compass_view_js,
        "device-controls.js": PackageResources.device_controls_js,
        "device-list.js": PackageResources.device_list_js,
        "device-view.js": PackageResources.device_view_js,
        "devices-german.js": PackageResources.devices_german_js,
        "devices.js": PackageResources.devices_js,
        "display.js": PackageResources.display_js,
        "dom.js": PackageResources.dom_js,
        "drawer.js": PackageResources.drawer_js,
        "empty.js": PackageResources.empty_js,
        "experience.css": PackageResources.experience_css,
        "experience.js": PackageResources.experience_js,
        "feed.js": PackageResources.feed_js,
        "floors.js": PackageResources.floors_js,
        "forgot.html": PackageResources.forgot_html,
        "forgot.js": PackageResources.forgot_js,
        "geometry.js": PackageResources.geometry_js,
        "german.js": PackageResources.german_js,
        "host.js": PackageResources.host_js,
        "icon-120.png": PackageResources.icon_120_png,
        "icon.svg": PackageResources.icon_svg,
        "icons.js": PackageResources.icons_js,
        "kiosk.html": PackageResources.kiosk_html,
        "labels.js": PackageResources.labels_js,
        "list-view.js": PackageResources.list_view_js,
        "manifest.webmanifest": PackageResources.manifest_webmanifest,
        "map-marks.js": PackageResources.map_marks_js,
        "map-view.js": PackageResources.map_view_js,
        "me.html": PackageResources.me_html,
        "me.js": PackageResources.me_js,
        "model.js": PackageResources.model_js,
        "motion.js": PackageResources.motion_js,
        "oldest.js": PackageResources.oldest_js,
        "own-words.js": PackageResources.own_words_js,
        "part.js": PackageResources.part_js,
        "people-forms.js": PackageResources.people_forms_js,
        "people-german.js": PackageResources.people_german_js,
        "people-list.js": PackageResources.people_list_js,
        "people-parts.js": PackageResources.people_parts_js,
        "people-scopes.js": PackageResources.people_scopes_js,
        "people.css": PackageResources.people_css,
        "people.js": PackageResources.people_js,
        "profile-german.js": PackageResources.profile_german_js,
        "profiles.js": PackageResources.profiles_js,
        "property-controls.js": PackageResources.property_controls_js,
        "property-list.js": PackageResources.property_list_js,
        "qr.js": PackageResources.qr_js,
        "quick-control.js": PackageResources.quick_control_js,
        "roving.js": PackageResources.roving_js,
        "rule-actions.js": PackageResources.rule_actions_js,
        "rule-controls.js": PackageResources.rule_controls_js,
        "rule-editors.js": PackageResources.rule_editors_js,
        "rule-form.js": PackageResources.rule_form_js,
        "rule-model.js": PackageResources.rule_model_js,
        "rule-names.js": PackageResources.rule_names_js,
        "rule-parts.js": PackageResources.rule_parts_js,
        "rule-sentence.js": PackageResources.rule_sentence_js,
        "rule-simple.js": PackageResources.rule_simple_js,
        "rules-german.js": PackageResources.rules_german_js,
        "rules.css": PackageResources.rules_css,
        "screen.js": PackageResources.screen_js,
        "screens.js": PackageResources.screens_js,
        "selection-bar.js": PackageResources.selection_bar_js,
        "siblings.js": PackageResources.siblings_js,
        "sign-in.html": PackageResources.sign_in_html,
        "sign-in.js": PackageResources.sign_in_js,
        "sign-up.html": PackageResources.sign_up_html,
        "sign-up.js": PackageResources.sign_up_js,
        "style.css": PackageResources.style_css,
        "survey-german.js": PackageResources.survey_german_js,
        "styles.js": PackageResources.styles_js,
        "swipe.js": PackageResources.swipe_js,
        "text.js": PackageResources.text_js,
        "thing-controls.js": PackageResources.thing_controls_js,
        "thing-times.js": PackageResources.thing_times_js,
        "thing-view.js": PackageResources.thing_view_js,
        "touches.js": PackageResources.touches_js,
        "upkeep.js": PackageResources.upkeep_js,
        "verify.html": PackageResources.verify_html,
        "verify.js": PackageResources.verify_js,
        "views.css": PackageResources.views_css,
        "zoom.js": PackageResources.zoom_js,
    ])
}
