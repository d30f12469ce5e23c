import Accounts
package import Administration
import MQTT
package import People
import Receivers
package import Settings

/// The users of callers who bring nothing, and how long sessions and log rows are kept.
package struct PeopleSettings: Sendable, Hashable {
    /// The user who is made when there are none.
    package var owner = "owner"
    /// The name of the user whom callers on MQTT are who bring nothing; `nil` for the owner; or ``nobody``.
    package var mqttUser: String?
    package var kioskUser: String?
    package var flareUser: String?
    /// Whether commands below `users/<user>/` count, for which the broker vouches.
    package var userTopics = false
    /// The file that tells the broker what users may do; `nil` for none.
    package var accessFile: String?
    package var sessionHours = 720
    package var signUp = AccountsAPI.Settings.SignUp.off
    /// Whether an email message can set a new password.
    package var canReset = false
    package var proxy = ProxySettings()
    package var logDays = 90
    package var logRows = 100_000

    /// The word for nobody where a name may stand.
    package static let nobody = "none"

    /// The user of callers who bring nothing, by interface.
    private var unnamed: [Interface: String] {
        [.mqtt: mqttUser ?? owner, .kiosk: kioskUser ?? owner, .flare: flareUser ?? owner]
            .filter { $0.value != Self.nobody }
    }

    /// For the accounts.
    /// - Parameter pageAddress: Where users sign in; `nil`: where the page is served.
    fileprivate func registry(pageAddress: String?) -> AccountsRegistry.Settings {
        var settings = AccountsRegistry.Settings()
        settings.unnamed = unnamed
        settings.sessionLifetime = Int64(sessionHours) * 3_600_000
        (settings.log.days, settings.log.rows) = (Int64(logDays), Int64(logRows))
        settings.pageAddress = pageAddress
        return settings
    }

    /// For administration.
    /// - Parameter publicURL: What links in email messages begin with.
    fileprivate func administration(epoch: String, publicURL: String?) -> AccountsAPI.Settings {
        var settings = AccountsAPI.Settings()
        (settings.signUp, settings.canReset, settings.owner) = (signUp, canReset, owner)
        (settings.publicURL, settings.epoch) = (publicURL, epoch)
        settings.sendsEmail = signUp != .off || canReset
        return settings
    }

    /// Names in it that are no active user's, a sentence each: nobody is identified there.
    ///
    /// - Parameter table: `nil` before the first start, which makes the owner.
    package func problems(among table: AccessTable?) -> [String] {
        unnamed.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { interface, name in
            let user = table?.user(named: name)
            guard user?.state != .active, table != nil || name != owner else { return nil }
            let key =
                switch interface {
                case .mqtt: mqttUser == nil ? "people.owner" : "people.mqtt_user"
                case .kiosk: kioskUser == nil ? "people.owner" : "people.kiosk_user"
                case .flare: flareUser == nil ? "people.owner" : "people.flare_user"
                }
            let (state, advice) =
                user == nil
                ? ("is no user", "add the user, or correct the name")
                : ("is switched off, or not approved", "activate the user, or name another")
            let effect = "nobody may do anything there without a token"
            return "\(key) names \"\(name)\", who \(state): \(effect); \(advice)"
        }
    }
}

extension ConfigurationDefaults {
    package var people: PeopleSettings { PeopleSettings() }
}

extension TrilateralConfiguration {
    /// For the accounts.
    func accounts(devices: DeviceList) -> AccountsRegistry.Settings {
        var settings = self.people.registry(pageAddress: self.web.pageAddress)
        settings.deviceOwners = devices.owners
        settings.hiddenOwners = devices.hiddenOwners
        settings.listedUsers = devices.hiddenUsers.union(devices.owners.values)
        return settings
    }

    /// For administration.
    func administration(epoch: String) -> AccountsAPI.Settings {
        self.people.administration(epoch: epoch, publicURL: self.web.publicURL)
    }
}

extension ConfigurationType where Value == String {
    /// The name of a user.
    static var userName: ConfigurationType {
        .checked("a user's name: \(AccountName.rule)") {
            AccountName.isLegal($0) && !AccountName.reserved.contains($0)
        }
    }

    /// The name of a user, or `none`.
    static var userOrNobody: ConfigurationType {
        .checked("a user's name, or none: \(AccountName.rule)") {
            AccountName.isLegal($0) && $0 != "nobody"
        }
    }
}

extension ConfigurationSection {
    static let people = ConfigurationSection(
        summaries: [
            "people": "Who may do what: users, what they may do without signing in, and the log.",
            "people.proxy": "A reverse proxy that signs people in to the page and the API.",
        ],
        keys: ConfigurationKey.table([
            .init("people.owner", \.people.owner, .userName):
                "The user who is made when there are none, and who may do everything.",
            .init("people.mqtt_user", \.people.mqttUser, .optional(.userOrNobody)):
                "The user of commands on MQTT that have no token: a name; null for the owner; none refuses them.",
            .init("people.kiosk_user", \.people.kioskUser, .optional(.userOrNobody)):
                "The user at the kiosk page and the API without signing in, who cannot administer: a name; null for the owner; none lets nobody in.",
            .init("people.flare_user", \.people.flareUser, .optional(.userOrNobody)):
                "The user of clients of the Flare server that have no token: a name; null for the owner; none lets nobody in.",
            .init("people.user_topics", \.people.userTopics, .flag):
                "Whether users send commands on topics of their own, which the broker must keep for them; needs mqtt.username.",
            .init("people.acl_file", \.people.accessFile, .optional(.writtenPath)):
                "A file that is kept with what users may do, for mosquitto's acl_file; see contrib/mosquitto. Null for none.",
            .init("people.session_hours", \.people.sessionHours, .integer(1...8760)):
                "How long somebody stays signed in after the last use, hours.",
            .init("people.sign_up", \.people.signUp, .choice()):
                "Whether people make users for themselves: verified after an email message to their address, approved by an owner as well.",
            .init("people.forgot", \.people.canReset, .flag):
                "Whether users who forgot a password can ask for an e-mail with a link to set a new one.",
            .init("people.log_days", \.people.logDays, .integer(1...3650)):
                "How long the command log is kept, days.",
            .init("people.log_rows", \.people.logRows, .integer(1000...10_000_000)):
                "The most rows of the command log; the oldest go first.",
        ]) + ConfigurationKey.peopleProxy,
        exchangeable: [.init(\.people)],
        rules: [
            .init(paths: ["people.user_topics", "mqtt.username"]) {
                $0.people.userTopics && $0.mqtt.username == nil
                    ? "needs mqtt.username as well: a broker without users does not keep their topics for them"
                    : nil
            },
            email("people.sign_up") { $0.people.signUp != .off },
            email("people.forgot") { $0.people.canReset },
        ],
        advice: [.openProxyNetworks, .localProxyNetworks]
    )

    /// What has email messages sent needs somebody who may read them, and a page that their links lead to.
    private static func email(
        _ key: String,
        _ isOn: @escaping @Sendable (TrilateralConfiguration) -> Bool
    ) -> ConfigurationRule {
        .init(paths: [key, "mqtt.username", "web.public_url", "web.listen"]) {
            guard isOn($0) else { return nil }
            if $0.mqtt.username == nil {
                return "needs mqtt.username as well: on a broker without users everybody reads the links"
            }
            if $0.web.publicURL == nil {
                return "needs web.public_url as well: links in email messages begin with it"
            }
            return $0.web.listen == nil
                ? "needs web.listen as well: links in email messages lead to the page" : nil
        }
    }
}
