// SPDX-License-Identifier: MIT
// Library: Qt 5
// Package: qtbase5-dev
// Modules: Qt5Core
#define QT_NO_DEPRECATED_WARNINGS  // QLinkedList
#include <functional>
#include <string>

// Before Qt's headers, so that its templates find it.
inline unsigned qHash(std::string const& s, unsigned seed = 0) {
  return static_cast<unsigned>(std::hash<std::string>()(s)) ^ seed;
}

#include <QHash>
#include <QJsonDocument>
#include <QLinkedList>
#include <QList>
#include <QMap>
#include <QSet>
#include <QString>
#include <QStringList>
#include <QVector>

#include "survey.hpp"

using containers::text;

// Qt's own memory comes from malloc, so it is the elements (std::string) that are interrupted.

namespace {

template <class Sequence>
void fill_sequence(Sequence& c) {
  for (int i = 0; i < 20; ++i) c.append(text(i));
  for (int i = 0; i < 5; ++i) c.insert(c.begin(), text(i));
  Sequence copy = c;
  copy.append(text(1));
}

template <class Map>
void fill_map(Map& map) {
  for (int i = 0; i < 30; ++i) map[text(i * 7 % 30)] = text(i);
  Map copy = map;
  copy[text(50)] = text(50);
  map.remove(text(3));
}

}  // namespace

int main(int count, char** arguments) {
  containers::survey s(count, arguments);
  char const* const sequence = "append, insert, copy on write";
  using vector = QVector<std::string>;
  using list = QList<std::string>;
  using linked = QLinkedList<std::string>;
  using map = QMap<std::string, std::string>;
  using hash = QHash<std::string, std::string>;
  using set = QSet<std::string>;
  s.container<vector>("QVector", sequence, fill_sequence<vector>);
  s.container<list>("QList", sequence, fill_sequence<list>);
  s.container<linked>("QLinkedList", sequence, fill_sequence<linked>);
  s.container<map>("QMap", "operator[], copy on write, remove", fill_map<map>);
  s.container<hash>("QHash", "operator[], copy on write, remove", fill_map<hash>);
  s.container<set>("QSet", "insert", [](set& c) {
    for (int i = 0; i < 30; ++i) c.insert(text(i));
  });
  s.scenario<QStringList>(
      "QString, QStringList", "append, split, join",
      [](QStringList& c) {
        for (int i = 0; i < 20; ++i) c.append(QString::fromStdString(text(i)));
        c.append(c.join(',').split(','));
      },
      [](QStringList& c) { return c.join(',').size() >= c.size() - 1; });
  s.function("QJsonDocument", "fromJson, toJson", [] {
    std::string const source = R"({"a": [1, 2, {"b": "a text that is longer"}], "c": null})";
    CHECK(!QJsonDocument::fromJson(QByteArray(source.c_str())).toJson().isEmpty());
  });
  return s.run();
}
