import Text

// How the application reaches its cloud, and its texts.
extension ProfileChecker {
    private static let sdkKeys = KnownKeys([
        "allowMobileDSS", "allowOfflineUse", "serviceType", "serviceLocation", "consoleLogLevel",
        "fileLogLevel", "defaultNetworkTimeoutMs", "appId", "appSecret", "xPlatformId", "xPlatformID",
    ])
    private static let timeouts = 500.0...300_000

    mutating func sdkSettings(_ fields: ProfileFields) -> SDKSettings {
        checkKeys(of: fields, Self.sdkKeys)
        var settings = SDKSettings()
        settings.isStreamed = boolean("allowMobileDSS", in: fields)
        settings.isMirrored = boolean("allowOfflineUse", in: fields)
        settings.serviceType = choice("serviceType", of: SDKSettings.serviceTypes, in: fields)
        settings.serviceLocation = choice("serviceLocation", of: SDKSettings.serviceLocations, in: fields)
        let levels = SDKSettings.LogLevel.allCases.map(\.rawValue)
        settings.consoleLogLevel = choice("consoleLogLevel", of: levels, in: fields)
            .flatMap { SDKSettings.LogLevel(rawValue: $0) }
        settings.fileLogLevel = choice("fileLogLevel", of: levels, in: fields)
            .flatMap { SDKSettings.LogLevel(rawValue: $0) }
        settings.timeoutMilliseconds = timeout(in: fields)
        settings.file = findings[current].file
        for member in fields.members { settings.positions[member.key] = member.value.position }
        // Kept by whoever has the file; the secret goes no further.
        for key in ["appId", "appSecret", "xPlatformId", "xPlatformID"] { _ = text(key, in: fields) }
        return settings
    }

    private mutating func timeout(in fields: ProfileFields) -> Int? {
        let key = "defaultNetworkTimeoutMs"
        guard let number = number(key, in: fields), let value = fields[key] else { return nil }
        guard Self.timeouts.contains(number) else {
            outOfRange(value, fields.path(key), "500 to 300000")
            return nil
        }
        guard let whole = Int(exactly: number) else {
            invalid(value, fields.path(key), "a whole number")
            return nil
        }
        return whole
    }

    // MARK: Texts

    mutating func strings(_ tables: ProfileFields) {
        for table in tables.members {
            let path = tables.path(table.key)
            guard Self.isLanguage(table.key) else {
                report(
                    .invalidValue,
                    at: table.keyPosition,
                    "\(tables.path) must have languages such as de or en-GB as its keys "
                        + "(has \(QuotedValue.of(table.key)))"
                )
                continue
            }
            guard let entries = object(table.value, path) else { continue }
            for entry in entries.members {
                guard case .string(let text) = entry.value.content else {
                    wrongType(entry.value, entries.path(entry.key), "a text")
                    continue
                }
                stringCount += 1
                guard stringCount <= ProfileLimits.strings else {
                    return tooLarge(
                        table.value,
                        path,
                        "more than \(ProfileLimits.strings) strings, counted over all files"
                    )
                }
                library.strings.add(text, for: entry.key, in: table.key)
            }
        }
    }

    /// A language tag, such as `de`, `en-GB`, `zh-Hant-TW`.
    private static func isLanguage(_ tag: String) -> Bool {
        let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = parts.first, tag.utf8.count <= 35 else { return false }
        return (2...8).contains(first.count) && first.allSatisfy(\.isASCIILetter)
            && parts.dropFirst().allSatisfy { part in
                (1...8).contains(part.count) && part.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit }
            }
    }
}
