package import People
import Text
package import Things

/// What a program keeps between its runs: the owner, thing and installation that it works with.
///
/// - Source: contrib/contract/bindings.md, "Instances".
package struct AppInstance: Sendable, Hashable {
    /// Where the application is registered; a label only.
    package enum Site: String, Sendable, Hashable, CaseIterable {
        case unitedStates = "US"
        case japan = "JP"
        case china = "CN3"
        case singapore = "SG"
        case europe = "EU"
    }

    /// The form in which instances are kept.
    package static let currentFormat = 1

    /// What it is called; empty by default.
    package let tag: String
    /// The identifier of the application.
    package let realm: String
    package let site: Site
    package var owner: Grantee?
    package var thing: BindingID?
    /// The identifier of its installation.
    package var installation: String?
    package let format: Int

    package init(
        _ tag: String = "",
        realm: String,
        site: Site,
        owner: Grantee? = nil,
        thing: BindingID? = nil,
        installation: String? = nil,
        format: Int = currentFormat
    ) {
        (self.tag, self.realm, self.site) = (tag, realm, site)
        (self.owner, self.thing, self.installation) = (owner, thing, installation)
        self.format = format
    }

    /// Refuses a tag that is none: it has at most 64 of the characters of a type, or is empty.
    package static func check(tag: String) throws(Refusal) {
        guard !tag.isEmpty, tag.utf8.count > 64 || !VendorName.isLegalType(tag) else { return }
        throw Refusal(
            .invalidValue,
            "tag must have at most 64 of A-Z, a-z, 0-9, '-', '_' and '.', is \(QuotedValue.of(tag))",
            field: "tag"
        )
    }
}

// MARK: - Use

extension AppInstance {
    /// How a sentence calls it.
    package var title: String {
        tag.isEmpty ? "the instance without a tag" : "instance \(QuotedValue.of(tag))"
    }

    /// What is wrong with it here, or `nil`: it is of another application or site, or of a newer program.
    package func problem(realm: String, site: Site) -> String? {
        let name = title
        if format > Self.currentFormat {
            return "\(name) has the newer format \(format); this program reads up to \(Self.currentFormat)"
        }
        if self.realm != realm {
            return
                "\(name) is of app \(QuotedValue.of(self.realm)), the configuration has \(QuotedValue.of(realm))"
        }
        if self.site != site {
            return "\(name) is of site \(self.site.rawValue), the configuration has \(site.rawValue)"
        }
        return nil
    }

    /// The instance with the thing that was onboarded; refused if it has one already.
    package func onboarded(_ thing: BindingID, owner: Grantee?) -> Result<AppInstance, BindingsError> {
        if let known = self.thing {
            return .failure(
                .alreadyOnboarded(
                    "\(title) has thing \(known); use another tag, or remove the instance first"
                )
            )
        }
        var instance = self
        instance.thing = thing
        instance.owner = owner ?? self.owner
        return .success(instance)
    }

    /// The thing, for everything but onboarding.
    package var onboardedThing: Result<BindingID, BindingsError> {
        thing.map { .success($0) }
            ?? .failure(.notOnboarded("\(title) has no thing yet; onboard one with its tag first"))
    }
}
