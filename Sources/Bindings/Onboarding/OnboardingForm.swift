import Text
package import Things

/// The kind of an onboarding, which the content type of the request says.
///
/// - Source: contrib/contract/bindings.md, "Forms of an onboarding".
package enum OnboardingForm: String, Sendable, Hashable, CaseIterable {
    case vendorByOwner = "OnboardingWithVendorThingIDByOwner"
    case thingByOwner = "OnboardingWithThingIDByOwner"
    case vendorByThing = "OnboardingWithVendorThingIDByThing"
    case thingByThing = "OnboardingWithThingIDByThing"
    case endNode = "OnboardingEndNodeWithGatewayThingID"

    package var contentType: String { "application/vnd.kii.\(rawValue)+json" }

    /// Whether the owner asks, not the thing itself.
    package var isByOwner: Bool {
        switch self {
        case .vendorByOwner, .thingByOwner, .endNode: true
        case .vendorByThing, .thingByThing: false
        }
    }

    /// - Parameter contentType: That of the request; its case and its parameters do not matter.
    package init(contentType: String?) throws(Refusal) {
        let type = contentType.map { String($0.prefix { $0 != ";" }).trimmed.lowercased() }
        let forms = Self.allCases
        guard let form = forms.first(where: { $0.contentType.lowercased() == type }) else {
            let found = contentType.map { "is \(QuotedValue.of($0))" } ?? "is missing"
            throw Refusal(
                .invalidValue,
                "Content-Type \(found); it must be one of \(forms.map(\.contentType).joined(separator: ", "))",
                field: "Content-Type"
            )
        }
        self = form
    }
}

extension String {
    fileprivate var trimmed: String {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        return String(drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}
